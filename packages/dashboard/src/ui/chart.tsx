/** A chart of values over time, with the same values as a table. */
import { useEffect, useRef, useState } from 'react';
import 'uplot/dist/uPlot.min.css';
import { useFormat } from '../words/format.js';
import { dateFormat, numberFormat } from '../words/intl.js';
import { useSpeech } from '../words/words.js';
import { localOf } from '../words/zones.js';

export interface Series {
  name: string;
  /** One value per time; null where there is none. */
  values: Array<number | null>;
  /** A color of the theme: `accent`. */
  color: 'accent' | 'success' | 'warning' | 'danger' | 'muted' | 'second';
  isDashed?: boolean;
}

interface Props {
  /** What the chart shows: "Emails per day". */
  label: string;
  /** ISO times. */
  times: string[];
  series: Series[];
  /** The zone in which the times are shown. */
  zone: string;
  /** How a time is written: days without a time of day. */
  unit: 'minute' | 'hour' | 'day';
  height?: number;
}

const HEIGHT = 240;
const LINE_WIDTH = 2;
/** Between the lines of the axis of counts: 1, 2, 5, 10, and so on. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Draws lines. The arrow keys move the cursor, and the values at the cursor are read out. */
export function TimeChart({ label, times, series, zone, unit, height = HEIGHT }: Props) {
  const { words } = useSpeech();
  const format = useFormat();
  const [cursor, setCursor] = useState<number | null>(null);
  const timeOf = (time: string): string => (unit === 'day' ? format.date(time, zone) : format.dateTime(time, zone));
  const at = cursor === null ? undefined : times[cursor];
  return (
    <figure className="grid min-w-0 gap-2">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {series.map(({ name, color, isDashed, values }) => (
          <span key={name} className="flex items-center gap-1.5">
            <svg aria-hidden width={16} height={4}>
              <line
                x1={0}
                x2={16}
                y1={2}
                y2={2}
                stroke={`var(--color-${color})`}
                strokeWidth={3}
                strokeDasharray={isDashed ? '4 3' : undefined}
              />
            </svg>
            {name}
            {cursor !== null && <strong className="tabular-nums">{format.number(values[cursor] ?? 0)}</strong>}
          </span>
        ))}
        {at !== undefined && <span className="text-muted">{timeOf(at)}</span>}
      </figcaption>
      <Lines {...{ label, times, series, zone, unit, height, cursor, setCursor }} />
      <details>
        <summary className="cursor-pointer text-sm text-muted">{words.common.asTable}</summary>
        <div className="max-h-80 overflow-auto" tabIndex={0} role="group" aria-label={label}>
          <table className="w-full text-sm">
            <caption className="sr-only">{label}</caption>
            <thead>
              <tr>
                <th scope="col" className="text-start">
                  {words.common.time} ({zone})
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="text-end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <th scope="row" className="text-start font-normal">
                    {timeOf(time)}
                  </th>
                  {series.map(({ name, values }) => (
                    <td key={name} className="text-end tabular-nums">
                      {format.number(values[index] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

interface LinesProps extends Pick<Props, 'label' | 'times' | 'series' | 'zone' | 'unit'> {
  height: number;
  cursor: number | null;
  setCursor: (index: number | null) => void;
}

function Lines({ label, times, series, zone, unit, height, cursor, setCursor }: LinesProps) {
  const { language } = useSpeech();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = frame.current;
    if (!parent) return;
    const drawing = new AbortController();
    void drawLines(parent, { times, series, zone, unit, height, language, setCursor, signal: drawing.signal });
    return () => drawing.abort();
  }, [times, series, zone, unit, height, language, setCursor]);
  const move = (step: number): void => {
    const next = (cursor ?? (step > 0 ? -1 : times.length)) + step;
    setCursor(Math.min(times.length - 1, Math.max(0, next)));
  };
  return (
    <div
      ref={frame}
      role="slider"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, times.length - 1)}
      aria-valuenow={cursor ?? 0}
      aria-valuetext={describe(series, cursor)}
      tabIndex={0}
      style={{ minHeight: height }}
      className="min-w-0"
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight') move(1);
        if (key === 'ArrowLeft') move(-1);
        if (key === 'Escape') setCursor(null);
      }}
    />
  );
}

const describe = (series: Series[], cursor: number | null): string =>
  cursor === null
    ? series.map(({ name }) => name).join(', ')
    : series.map(({ name, values }) => `${name}: ${values[cursor] ?? 0}`).join(', ');

interface Drawing extends Pick<Props, 'times' | 'series' | 'zone' | 'unit'> {
  height: number;
  language: string;
  setCursor: (index: number | null) => void;
  signal: AbortSignal;
}

/** Loads what draws charts. Pages that always have one call it before their figures arrive. */
export const loadPlot = () => import('uplot');

async function drawLines(
  parent: HTMLElement,
  { times, series, zone, unit, height, language, setCursor, signal }: Drawing,
): Promise<void> {
  const { default: Plot } = await loadPlot();
  if (signal.aborted) return;
  const seconds = times.map((time) => Date.parse(time) / 1000);
  const [first = 0] = seconds;
  const style = getComputedStyle(parent);
  const colorOf = (name: string): string => style.getPropertyValue(`--color-${name}`);
  const axis = { stroke: colorOf('muted'), grid: { stroke: colorOf('line'), width: 1 }, ticks: { show: false } };
  const plot = new Plot(
    {
      width: parent.clientWidth,
      height,
      legend: { show: false },
      // The zone's clock, as if it were the browser's.
      tzDate: (seconds) => new Date(localOf(seconds * 1000, zone)),
      hooks: { setCursor: [(self) => setCursor(self.cursor.idx ?? null)] },
      axes: [
        {
          ...axis,
          values: (_plot, splits, _index, _space, step) =>
            splits.map((seconds) => axisTime(language, zone, seconds, step)),
        },
        { ...axis, incrs: WHOLE_STEPS, values: (_plot, splits) => splits.map((value) => compact(language, value)) },
      ],
      scales: {
        x: {
          // For a single time, uPlot passes a range of 1,000 days.
          range: (_plot, low, high) =>
            seconds.length === 1 ? [first - UNIT_SECONDS[unit], first + UNIT_SECONDS[unit]] : [low, high],
        },
        y: { range: (_plot, _low, high) => [0, Math.max(1, high)] },
      },
      series: [
        {},
        ...series.map(({ name, color, isDashed }) => ({
          label: name,
          stroke: colorOf(color),
          width: LINE_WIDTH,
          points: { show: times.length === 1 },
          ...(isDashed && { dash: [6, 4] }),
        })),
      ],
    },
    [seconds, ...series.map(({ values }) => values)],
    parent,
  );
  const resize = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height }));
  resize.observe(parent);
  signal.addEventListener('abort', () => {
    resize.disconnect();
    plot.destroy();
  });
}

const DAY_SECONDS = 86_400;
const UNIT_SECONDS = { minute: 60, hour: 3600, day: DAY_SECONDS };

const axisTime = (language: string, timeZone: string, seconds: number, step: number): string =>
  dateFormat(language, {
    timeZone,
    ...(step < DAY_SECONDS ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
  }).format(new Date(seconds * 1000));

const compact = (language: string, value: number): string =>
  numberFormat(language, { notation: 'compact' }).format(value);
