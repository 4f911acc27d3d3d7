/** Figures: one number with its name, shares as bars, and progress. */
import { Progress as BaseProgress } from '@base-ui/react/progress';
import type { ReactNode } from 'react';
import { useFormat } from '../words/format.js';

interface FigureProps {
  label: string;
  value: ReactNode;
  /** A second line: "12% more than before". */
  about?: ReactNode;
  /** Its place in a grid. */
  className?: string;
}

/** A number with its name. Put several into `Figures`. */
export function Figure({ label, value, about, className = '' }: FigureProps) {
  return (
    <div
      className={`grid min-w-0 content-start rounded-xl border border-line bg-surface p-4 [overflow-wrap:anywhere] max-sm:px-2 max-sm:py-3 ${className}`}
    >
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
      {about && <dd className="text-sm text-muted">{about}</dd>}
    </div>
  );
}

export const Figures = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-3">{children}</dl>
);

/** Named values with bars in proportion to the largest one. */
export function Bars({ label, bars }: { label: string; bars: Array<{ name: ReactNode; id: string; value: number }> }) {
  const format = useFormat();
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul aria-label={label} className="grid gap-2">
      {bars.map(({ id, name, value }) => (
        <li key={id} className="grid gap-1">
          <span className="flex justify-between gap-3">
            <span className="min-w-0 truncate">{name}</span>
            <span className="tabular-nums">{format.number(value)}</span>
          </span>
          <span aria-hidden className="h-2 rounded bg-raised">
            <span className="block h-2 rounded bg-accent" style={{ width: `${(value / largest) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How much of something is done. @param value from 0 to `max`; null if it is not known, which shows moving stripes */
export function Progress({ label, value, max = 100 }: { label: string; value: number | null; max?: number }) {
  const format = useFormat();
  return (
    <BaseProgress.Root value={value} max={max} className="grid gap-1">
      <span className="flex justify-between gap-3 text-sm">
        <BaseProgress.Label>{label}</BaseProgress.Label>
        {value !== null && <span className="tabular-nums">{format.percent(max === 0 ? 0 : value / max)}</span>}
      </span>
      <BaseProgress.Track className="block h-2.5 overflow-hidden rounded bg-raised">
        <BaseProgress.Indicator className="block h-full bg-accent transition-[width] data-indeterminate:w-full data-indeterminate:bg-stripes" />
      </BaseProgress.Track>
    </BaseProgress.Root>
  );
}
