/** A time as "3 minutes ago", with the exact time and its zone on hover and for screen readers. */
import { useFormat } from '../words/format.js';

export function Ago({ time }: { time: string }) {
  const format = useFormat();
  return (
    <time dateTime={time} title={format.dateTime(time)} className="whitespace-nowrap">
      {format.relative(time)}
    </time>
  );
}

/** An exact time with its zone. */
export function At({ time, zone }: { time: string; zone?: string }) {
  const format = useFormat();
  return (
    <time dateTime={time} className="whitespace-nowrap">
      {format.dateTime(time, zone)}
    </time>
  );
}
