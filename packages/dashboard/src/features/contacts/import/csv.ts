/** Reads the beginning of a CSV file in the browser: its columns, and some rows to show. Pure. */

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Bytes of a file that are read. */
export const HEAD_BYTES = 256 * 1024;

/** Returns the first rows of a text: quoted cells can contain delimiters, quotation marks, and line breaks. */
export function readRows(text: string, delimiter: Delimiter, maxRows: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = (): void => {
    row.push(cell);
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length && rows.length < maxRows; at++) {
    const char = text.charAt(at);
    if (isQuoted && char === '"' && text.charAt(at + 1) === '"') {
      cell += '"';
      at++;
    } else if (isQuoted) {
      if (char === '"') isQuoted = false;
      else cell += char;
    } else if (char === '"' && cell === '') isQuoted = true;
    else if (char === delimiter) {
      row.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') cell += char;
  }
  if (rows.length < maxRows && (cell !== '' || row.length > 0)) endRow();
  return rows;
}

/** Returns the delimiter that gives the header the most columns. */
export function guessDelimiter(text: string): Delimiter {
  const columns = (delimiter: Delimiter): number => readRows(text, delimiter, 1)[0]?.length ?? 0;
  return DELIMITERS.reduce((best, one) => (columns(one) > columns(best) ? one : best));
}

export type ColumnType = 'string' | 'number' | 'boolean' | 'date';

export interface ColumnTarget {
  /** `email`, `subscribed`, `timezone`, `data.<key>`; null leaves the column out. */
  to: string | null;
  type?: ColumnType;
}

const KNOWN: Array<[RegExp, string]> = [
  [/^e-?mail([ _-]?(address|adresse))?$/i, 'email'],
  [/^(subscribed|opt[ _-]?in|angemeldet)$/i, 'subscribed'],
  [/^(time[ _-]?zone|zeitzone)$/i, 'timezone'],
];

/** Returns what a column is probably for. */
export function guessTarget(header: string, samples: string[]): ColumnTarget {
  const name = header.trim();
  const known = KNOWN.find(([pattern]) => pattern.test(name));
  if (known) return { to: known[1] };
  if (name === '') return { to: null };
  return { to: `data.${name.replaceAll('.', '_')}`, type: guessType(samples) };
}

/** Returns the type of all samples that are not empty. A number with a leading zero is a code, not a number. */
export function guessType(samples: string[]): ColumnType {
  const filled = samples.map((sample) => sample.trim()).filter((sample) => sample !== '');
  if (filled.length === 0) return 'string';
  if (filled.every((value) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value))) return 'number';
  if (filled.every((value) => /^(true|false)$/i.test(value))) return 'boolean';
  if (filled.every((value) => /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$/.test(value))) return 'date';
  return 'string';
}
