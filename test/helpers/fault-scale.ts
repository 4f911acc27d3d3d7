/** The scale of the crash tests: small for CI, or that of docs/benchmarks.md with FAULTS_SCALE=full. */
import { expect } from 'vitest';

const isFull = process.env.FAULTS_SCALE === 'full';

/** Returns the value for the scale of this run. */
export const scaled = <T>(small: T, full: T): T => (isFull ? full : small);

export const FAULT_TIMEOUT_MS = scaled(400_000, 1_500_000);

/** Prints the figures of a full run. */
export function reportFigures(figures: Record<string, number>): void {
  if (isFull) console.log(`${expect.getState().currentTestName ?? ''}: ${JSON.stringify(figures)}`);
}
