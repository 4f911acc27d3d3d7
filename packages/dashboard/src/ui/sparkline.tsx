/** A small line of values over time, without axes. */
const [WIDTH, HEIGHT] = [60, 16];
/** Half of the line's width, so that the line is not cut off. */
const MARGIN = 1;

/** @param label what a screen reader and the pointer get, such as the period and the sum */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const highest = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    const y = HEIGHT - MARGIN - (value / highest) * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className="shrink-0"
    >
      <title>{label}</title>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--color-accent)"
        strokeWidth={2 * MARGIN}
        strokeLinejoin="round"
      />
    </svg>
  );
}
