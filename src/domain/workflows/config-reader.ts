/** Reading an object from outside field by field, with the place of everything that is wrong in it. Pure. */
import type { FieldError } from '../../errors.js';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** More characters than `max`, of any script: JavaScript's length counts most emoji twice. */
export const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max);

/**
 * The fields of one object; `null` counts as not given. What is wrong with a field is kept in `errors`, and the answer
 * is an empty value: with errors, what was read is good for nothing.
 */
export class ConfigReader {
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    /** Where the object is in the request: `config`, `config.recipient`. */
    readonly place: string,
    readonly errors: FieldError[],
  ) {}

  /** A reader of what should be an object; of anything else nothing more is said than that. */
  static of(value: unknown, place: string, errors: FieldError[]): ConfigReader {
    if (isObject(value)) return new ConfigReader(value, place, errors);
    errors.push(fieldError(place, value === undefined ? 'required' : 'invalid_type', 'must be an object', value));
    return new ConfigReader({}, place, []);
  }

  /** The value as it came, null included. */
  raw(field: string): unknown {
    return Object.hasOwn(this.fields, field) ? this.fields[field] : undefined;
  }

  /** The value as it came; undefined when it is not given. */
  get(field: string): unknown {
    return this.raw(field) ?? undefined;
  }

  /** Keeps what is wrong with a field, or with something in it (`headers.X-Key`). */
  report(field: string, code: FieldError['code'], message: string, received: unknown = this.get(field)): void {
    this.errors.push(fieldError(this.placeOf(field), code, message, received));
  }

  /** A text that must be there; trimmed. */
  text(field: string, max: number): string {
    const known = this.errors.length;
    const text = this.optionalText(field, max);
    if (text === null && this.errors.length === known)
      this.report(field, this.get(field) === undefined ? 'required' : 'too_small', 'must not be empty');
    return text ?? '';
  }

  /** A text, trimmed; null when it is not given, or empty. */
  optionalText(field: string, max: number): string | null {
    const value = this.get(field);
    if (value === undefined) return null;
    if (typeof value !== 'string') {
      this.report(field, 'invalid_type', 'must be text');
      return null;
    }
    const text = value.trim();
    if (isLongerThan(text, max)) this.report(field, 'too_big', `must have at most ${max} characters`);
    return text === '' ? null : text;
  }

  /** A number, which must be there. */
  number(field: string): number | null {
    const value = this.get(field);
    // JSON has no infinity, but numbers that JavaScript reads as one.
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.report(
      field,
      value === undefined ? 'required' : typeof value === 'number' ? 'too_big' : 'invalid_type',
      'must be a number',
    );
    return null;
  }

  /** One of the values; the fallback, if there is one, when it is not given. */
  choice<const T extends string>(field: string, values: readonly [T, ...T[]], fallback?: T): T {
    const value = this.get(field);
    const found = value === undefined ? fallback : values.find((one) => one === value);
    if (found !== undefined) return found;
    this.report(
      field,
      value === undefined ? 'required' : typeof value === 'string' ? 'invalid_string' : 'invalid_type',
      `must be one of ${values.join(', ')}`,
    );
    return values[0];
  }

  /** The object in a field, as it came; null when it is not given, or no object. */
  object(field: string): Record<string, unknown> | null {
    const value = this.get(field);
    if (isObject(value)) return value;
    if (value !== undefined) this.report(field, 'invalid_type', 'must be an object');
    return null;
  }

  /** A reader of the object in a field; null when it is not given. */
  nested(field: string): ConfigReader | null {
    const value = this.get(field);
    return value === undefined ? null : ConfigReader.of(value, this.placeOf(field), this.errors);
  }

  /** The entries of a list that must be there, as readers. */
  list(field: string, { min, max }: { min: number; max: number }): ConfigReader[] {
    const value = this.get(field);
    if (!Array.isArray(value)) this.report(field, value === undefined ? 'required' : 'invalid_type', 'must be a list');
    else if (value.length < min) this.report(field, 'too_small', `must have at least ${min}`);
    else if (value.length > max) this.report(field, 'too_big', `must have at most ${max}`);
    else return value.map((entry, index) => ConfigReader.of(entry, this.placeOf(`${field}.${index}`), this.errors));
    return [];
  }

  private placeOf(field: string): string {
    return `${this.place}.${field}`;
  }
}

/** An entry of a 422; of the refused value what is plain is repeated, in short. */
function fieldError(field: string, code: FieldError['code'], message: string, received: unknown): FieldError {
  const shown =
    typeof received === 'string'
      ? received.slice(0, 100)
      : typeof received === 'number' || typeof received === 'boolean'
        ? received
        : undefined;
  return {
    field,
    message: code === 'required' ? 'Required' : message,
    code,
    ...(shown !== undefined && { received: shown }),
  };
}
