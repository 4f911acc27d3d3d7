/** The header of a CSV file: what each column becomes (contract, section 3, "Import"; additions, section 3). Pure. */
import type { FieldError } from '../../errors.js';
import { readContactData } from '../contacts/data.js';
import { ERROR_COLUMN } from '../jobs/errors-column.js';
import type { CellType, ImportMapping } from './options.js';

export interface DataColumn {
  index: number;
  key: string;
  /** `auto`: `true`, `false`, and plain decimal numbers are converted. */
  type: CellType | 'auto' | 'timezone';
  /** The name in the header, for messages. */
  name: string;
}

export interface Columns {
  email: number;
  subscribed: number | null;
  snoozedUntil: number | null;
  /** A column of JSON objects, whose keys are added to the data. */
  rest: number | null;
  data: DataColumn[];
  count: number;
  /** Whether the import has a mapping: see readRow. */
  isMapped: boolean;
}

type Target = 'email' | 'subscribed' | 'snoozedUntil' | 'rest' | { key: string; type: DataColumn['type'] } | null;

const DATA_PREFIX = 'data.';
/** The time zone of a contact is a field of its data (src/domain/contacts/timezone.ts). */
const TIMEZONE = { key: 'timezone', type: 'timezone' } as const;

/**
 * Parses the header. `email` and `subscribed` are case-insensitive. Columns without a name or with a reserved name are
 * ignored. A mapping takes precedence over a name.
 *
 * @returns the problem, as a sentence, if the header is invalid
 */
export function readHeader(cells: string[], mapping: ImportMapping | null = null): Columns | { problem: string } {
  const names = cells.map((name) => (['email', 'subscribed'].includes(name.toLowerCase()) ? name.toLowerCase() : name));
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) return { problem: `The header has the column "${shortenText(twice)}" twice.` };
  const mapped = new Map(Object.entries(mapping ?? {}));
  const missing = [...mapped.keys()].find((name) => !cells.includes(name));
  if (missing !== undefined)
    return { problem: `The header has no column "${shortenText(missing)}", which the mapping names.` };

  const columns: Omit<Columns, 'email'> & { email: number | null } = {
    email: null,
    subscribed: null,
    snoozedUntil: null,
    rest: null,
    data: [],
    count: cells.length,
    isMapped: mapping !== null,
  };
  const place = (index: number, target: Target): void => {
    if (target === null) return;
    if (typeof target === 'string') columns[target] ??= index;
    else if (!columns.data.some(({ key }) => key === target.key))
      columns.data.push({ index, ...target, name: cells[index] ?? '' });
  };
  // Mapped columns first: a column that is not mentioned yields to a mapped one with the same target.
  cells.forEach((cell, index) => {
    const column = mapped.get(cell);
    if (column) place(index, targetOf(column));
  });
  cells.forEach((cell, index) => {
    if (!mapped.has(cell)) place(index, defaultTarget(names[index] ?? ''));
  });
  columns.data.sort((a, b) => a.index - b.index);
  const { email, ...others } = columns;
  return email === null ? { problem: mapping === null ? NO_EMAIL : NO_MAPPED_EMAIL } : { email, ...others };
}

const NO_EMAIL = 'The header has no column "email". The first line must name the columns, separated by commas.';
const NO_MAPPED_EMAIL = 'No column is mapped to "email". Map one column of the file to it.';

function defaultTarget(name: string): Target {
  if (name === 'email' || name === 'subscribed') return name;
  if (name === 'timezone') return TIMEZONE;
  return name !== ERROR_COLUMN && isDataKey(name) ? { key: name, type: 'auto' } : null;
}

function targetOf({ to, type }: ImportMapping[string]): Target {
  if (to === null) return null;
  if (to === 'email' || to === 'subscribed' || to === 'snoozedUntil') return to;
  if (to === 'data') return 'rest';
  if (to === 'timezone') return TIMEZONE;
  return { key: to.slice(DATA_PREFIX.length), type: type ?? 'auto' };
}

/** Whether contact data can have the key. */
export const isDataKey = (key: string): boolean =>
  key !== '' && Object.hasOwn(readContactData({ [key]: true }).set, key);

const TARGETS = ['email', 'subscribed', 'snoozedUntil', 'timezone', 'data'];

/** Returns the errors of a mapping that do not depend on the file. */
export function mappingErrors(mapping: ImportMapping): FieldError[] {
  const errors: FieldError[] = [];
  const places = new Map<string, string>();
  for (const [name, { to }] of Object.entries(mapping)) {
    if (to === null) continue;
    const refuse = (message: string): void =>
      void errors.push({ field: `mapping.${shortenText(name)}.to`, message, code: 'custom' });
    if (!TARGETS.includes(to) && !(to.startsWith(DATA_PREFIX) && isDataKey(to.slice(DATA_PREFIX.length))))
      refuse(
        'must be email, subscribed, snoozedUntil, timezone, data, or data.<key> with a key that contacts can have',
      );
    const target = to === 'timezone' ? 'data.timezone' : to;
    const other = places.get(target);
    if (other !== undefined) refuse(`The column "${shortenText(other)}" is mapped to the same place`);
    places.set(target, name);
  }
  return errors;
}

export const shortenText = (text: string): string => (text.length <= 254 ? text : `${text.slice(0, 253)}…`);
