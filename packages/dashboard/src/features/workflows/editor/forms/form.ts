import type { DraftStep } from '../graph.js';

/** What the form of each kind of step takes. */
export interface StepFormProps {
  step: DraftStep;
  /** @param topic the field that is edited: typing in it is one step of the history */
  onChange: (values: Partial<Omit<DraftStep, 'key' | 'type'>>, topic: string | null) => void;
  /** Messages of the API by the path below the step: `config.amount`. */
  errors: Readonly<Record<string, string>>;
}

/** Returns a text of a config; empty if it is not one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the config with a value; without the key if the value is undefined. */
export function withValue(config: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  const { [key]: _, ...others } = config;
  return value === undefined ? others : { ...others, [key]: value };
}
