/** Statistics of variant tests. Pure. */

/** Of the standard normal distribution, for 95%. */
const Z = 1.959_963_984_540_054;

/** A number of successes among trials. */
export interface Share {
  successes: number;
  trials: number;
}

export const rateOf = ({ successes, trials }: Share): number => (trials === 0 ? 0 : successes / trials);

/** Returns Wilson's confidence interval of a rate for 95%; from 0 to 1 without trials. */
export function wilsonInterval(share: Share): { low: number; high: number } {
  const { trials } = share;
  if (trials === 0) return { low: 0, high: 1 };
  const rate = rateOf(share);
  const square = Z ** 2 / trials;
  const center = rate + square / 2;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials));
  // At rates of 0 and 1, rounding would leave a tiny distance.
  return {
    low: rate === 0 ? 0 : Math.max(0, (center - spread) / (1 + square)),
    high: rate === 1 ? 1 : Math.min(1, (center + spread) / (1 + square)),
  };
}

/** Whether the rate of `a` is higher than that of `b` at a level of 95%. */
export const isSignificantlyHigher = (a: Share, b: Share): boolean =>
  rateOf(a) > rateOf(b) && differsSignificantly(a, b);

/** Whether two rates differ at a level of 95%, by the z-test for two proportions with a pooled variance. */
export function differsSignificantly(a: Share, b: Share): boolean {
  if (a.trials === 0 || b.trials === 0) return false;
  const pooled = (a.successes + b.successes) / (a.trials + b.trials);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.trials + 1 / b.trials));
  return error > 0 && Math.abs(rateOf(a) - rateOf(b)) / error > Z;
}
