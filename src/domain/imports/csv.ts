/**
 * Parses CSV in pieces (RFC 4180): quoted cells with separators, quotes, and line breaks; lines that end with LF, CRLF, or
 * CR.
 *
 * An invalid row is reported, and parsing continues on the next line, so a missing quote does not hide the rest of the
 * file. Every record has its line number. csv-parse 7.0.3 and papaparse 5.7.1 were tried: both lose all rows
 * after an unclosed quote, csv-parse counts CRLF in a quoted cell as two lines, and papaparse has no line numbers.
 */

/** A record, and the line of the file on which it starts; the first line is 1. */
export type CsvRecord =
  | { line: number; cells: string[] }
  /** `text` is the line, cut at 64 KiB. */
  | { line: number; problem: string; text: string };

export interface CsvOptions {
  /** The separator between cells, one ASCII character. */
  delimiter?: string;
  /** Whether spaces in quotes are a part of the cell. Otherwise, they are removed, as all other spaces around it. */
  keepsQuotedSpaces?: boolean;
}

/** A contact has at most 64 KiB of data; a much longer row has an unclosed quote. */
const MAX_RECORD_LENGTH = 256 * 1024;
/** Characters of an invalid line that are reported. */
const MAX_PROBLEM_LENGTH = 64 * 1024;
const TOO_LONG = 'The row is longer than 256 KiB';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

interface Cell {
  text: string;
  /** The index after the cell: of its comma, its line break, or the end. */
  end: number;
  /** The number of line breaks in the cell. */
  breaks: number;
}

type Scan = Cell | { problem: string } | 'incomplete';

export class CsvReader {
  #text = '';
  #at = 0;
  #line = 1;
  /** Whether the rest of an invalid line is skipped. */
  #dropping = false;
  #ended = false;
  readonly #delimiter: number;
  readonly #keepsQuotedSpaces: boolean;

  constructor({ delimiter = ',', keepsQuotedSpaces = false }: CsvOptions = {}) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#keepsQuotedSpaces = keepsQuotedSpaces;
  }

  /** Parses the next piece of the file. @returns the completed records, without empty lines */
  write(piece: string): CsvRecord[] {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
    return [...this.#records()];
  }

  /** Ends the file. @returns the records that the end completes */
  end(): CsvRecord[] {
    this.#ended = true;
    return [...this.#records()];
  }

  *#records(): Generator<CsvRecord> {
    while (this.#at < this.#text.length) {
      if (this.#dropping && !this.#skipLine()) return;
      this.#dropping = false;
      if (this.#at >= this.#text.length) return;
      const record = this.#record();
      if (record === 'incomplete') return;
      if ('problem' in record || record.cells.length > 1 || record.cells[0] !== '') yield record;
    }
  }

  #record(): CsvRecord | 'incomplete' {
    const cells: string[] = [];
    const line = this.#line;
    let at = this.#at;
    let breaks = 0;
    for (;;) {
      const cell = this.#cell(at);
      if (cell === 'incomplete')
        return this.#text.length - this.#at > MAX_RECORD_LENGTH ? this.#refuse(TOO_LONG) : cell;
      if ('problem' in cell) return this.#refuse(cell.problem);
      cells.push(cell.text);
      breaks += cell.breaks;
      if (cell.end - this.#at > MAX_RECORD_LENGTH) return this.#refuse(TOO_LONG);
      at = cell.end;
      if (this.#text.charCodeAt(at) === this.#delimiter) {
        at++;
        continue;
      }
      this.#at = this.#afterBreak(at);
      this.#line = line + breaks + 1;
      return { line, cells };
    }
  }

  /** Reports the record and continues after its first line. */
  #refuse(problem: string): CsvRecord {
    const line = this.#line;
    const begin = this.#at;
    this.#dropping = !this.#skipLine();
    const text = this.#text.slice(begin, Math.min(this.#at, begin + MAX_PROBLEM_LENGTH));
    return { line, problem, text: text.replace(/[\r\n]+$/, '') };
  }

  /** @returns false if the end of the line is not in the text yet */
  #skipLine(): boolean {
    for (let at = this.#at; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code !== LF && code !== CR) continue;
      if (this.#isUnsure(at)) {
        this.#at = at;
        return false;
      }
      this.#at = this.#afterBreak(at);
      this.#line++;
      return true;
    }
    this.#at = this.#text.length;
    return false;
  }

  #cell(start: number): Scan {
    let at = start;
    while (this.#text[at] === ' ') at++;
    return this.#text.charCodeAt(at) === QUOTE ? this.#quoted(at) : this.#plain(start);
  }

  #plain(start: number): Scan {
    const delimiter = this.#delimiter;
    let at = start;
    for (; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === delimiter || code === LF || code === CR) break;
    }
    if (at === this.#text.length ? !this.#ended : this.#isUnsure(at)) return 'incomplete';
    return { text: this.#text.slice(start, at).trim(), end: at, breaks: 0 };
  }

  #quoted(start: number): Scan {
    let at = start + 1;
    for (;;) {
      const quote = this.#text.indexOf('"', at);
      // A quote at the end of the text may be the first half of a doubled quote.
      if (quote < 0 || (quote === this.#text.length - 1 && !this.#ended))
        return this.#ended ? { problem: 'A quote is not closed' } : 'incomplete';
      if (this.#text.charCodeAt(quote + 1) !== QUOTE) {
        at = quote;
        break;
      }
      at = quote + 2;
    }
    let end = at + 1;
    while (this.#text[end] === ' ') end++;
    const code = this.#text.charCodeAt(end);
    if (end === this.#text.length ? !this.#ended : code === CR && this.#isUnsure(end)) return 'incomplete';
    if (end < this.#text.length && code !== this.#delimiter && code !== LF && code !== CR)
      return { problem: 'Unexpected text after a closing quote' };
    const quoted = this.#text.slice(start + 1, at);
    const text = quoted.replaceAll('""', '"');
    return {
      text: this.#keepsQuotedSpaces ? text : text.trim(),
      end,
      breaks: quoted.match(/\r\n|\n|\r/g)?.length ?? 0,
    };
  }

  /** Whether a CR is at the end of the text: its LF may be in the next piece. */
  #isUnsure(at: number): boolean {
    return !this.#ended && this.#text.charCodeAt(at) === CR && at === this.#text.length - 1;
  }

  #afterBreak(at: number): number {
    return this.#text.charCodeAt(at) === CR && this.#text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
  }
}
