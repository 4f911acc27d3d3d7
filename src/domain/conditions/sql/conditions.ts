/**
 * Compiles a predicate to a WHERE clause over `contacts c`, with the same results as ../evaluate.ts.
 *
 * User input is never part of the statement's text: field names, paths, event names, and values are parameters.
 */
import type { DataTest, EmailTest, JsonValue, Order, Predicate, TextTest, TimeRange } from '../../../db/predicate.js';

/**
 * A condition over `contacts c`. Its parameters are $1 … $n with n = `values.length`; the caller's parameters follow.
 */
export interface ContactClause {
  sql: string;
  values: unknown[];
}

/**
 * How the clause is used: to find the whole `set` of contacts, for example to count them; to find it with a `scan` of the
 * project's contacts, because the predicate asks for many events or members; to test single contacts on a `walk` along an
 * index that ends with the page; or to `test` all contacts of a project, whether or not they match.
 */
export type ClauseUse = 'set' | 'scan' | 'walk' | 'test';

/** `large`: parallel workers save time. `dominant`: the project also has at least half of the rows of the table. */
export type ProjectSize = 'small' | 'large' | 'dominant';

/**
 * The planner estimates every project as 0.5% of the contacts (src/db/wide-query.ts). It estimates CASE as half of the
 * table, so it reads a dominant project in the order of the table and not through a bitmap of its rows, which is faster.
 */
export const IN_PROJECT: Record<ProjectSize, string> = {
  small: 'c.project_id = $1',
  large: 'c.project_id = $1',
  dominant: 'CASE WHEN c.project_id = $1 THEN true END',
};

/** Returns the clause for the contacts of a project that match a predicate. */
export function contactsWhere(
  projectId: string,
  predicate: Predicate,
  use: ClauseUse = 'set',
  size: ProjectSize = 'small',
): ContactClause {
  const values: unknown[] = [projectId];
  const compiler = new Compiler(values, use);
  const inProject = IN_PROJECT[isIndexed(predicate, use !== 'scan') ? 'small' : size];
  return { sql: `${inProject} AND ${compiler.predicate(predicate)}`, values };
}

/** Returns a query for the ids of the contacts of each event or segment within a predicate, with its parameters. */
export function logQueries(projectId: string, predicate: Predicate): { queries: string[]; values: unknown[] } {
  const values: unknown[] = [projectId];
  const compiler = new Compiler(values, 'set');
  return { queries: logsOf(predicate).map((log) => compiler.contactsOf(log)), values };
}

export interface ContactTests {
  /** Expressions over `contacts c` and the joins with names, such as `c.data ->> $2 AS part_0`. */
  columns: string[];
  /** Left joins of `contacts c` with the contacts of events and members, each of them once. */
  joins: string[];
  /** An expression for each predicate, true or false, over a relation `c` of the contacts with these columns. */
  tests: string[];
  /** $1 is the project. */
  values: unknown[];
}

/** Compiles predicates that are tested for each contact of a project. Each value of the data is extracted once. */
export function contactTests(projectId: string, predicates: Predicate[]): ContactTests {
  const values: unknown[] = [projectId];
  const compiler = new Compiler(values, 'test');
  const tests = predicates.map((predicate) => `((${compiler.predicate(predicate)}) IS TRUE)`);
  return { columns: compiler.columns, joins: compiler.joins, tests, values };
}

const OPERATOR: Record<Order, string> = { less: '<', lessOrEqual: '<=', greater: '>', greaterOrEqual: '>=' };
const COLUMN = { createdAt: 'c.created_at', updatedAt: 'c.updated_at' } as const;

/** Up to this many values of `in` are tested by type; a longer list is compared as an array of JSON values. */
const MAX_SINGLE_VALUES = 20;
const DAY = 24 * 3_600_000;

/** Predicates on other tables than the contacts. */
type Log = Extract<Predicate, { kind: 'event' | 'member' }>;
const isLog = (node: Predicate): node is Log => node.kind === 'event' || node.kind === 'member';

/** Returns the predicates on events and members within a predicate. */
function logsOf(node: Predicate): Log[] {
  if (node.kind === 'not') return logsOf(node.of);
  if (node.kind === 'all' || node.kind === 'any') return node.of.flatMap(logsOf);
  return isLog(node) ? [node] : [];
}

/** Whether a predicate includes events or members. */
export const readsLogs = (node: Predicate): boolean => logsOf(node).length > 0;

/** Whether an index that begins with the project leads to the matches, or, with `joins`, a join with events or members. */
export function isIndexed(node: Predicate, joins: boolean): boolean {
  switch (node.kind) {
    case 'all':
      return node.of.some((part) => isIndexed(part, joins));
    case 'email':
      return node.is.test === 'oneOf';
    case 'time':
      return node.of === 'createdAt';
    default:
      return joins && isLog(node);
  }
}

/** Only then does the text of an instant sort like the instant. */
function hasFourDigitYear(instant: Date): boolean {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

const columnOf = (place: number): string => `c.part_${place}`;

/** A clause is true, false, or null. Null counts as false, so a negation is `IS NOT TRUE`, not `NOT`. */
class Compiler {
  /** Places in `columns`, by expression and path, or by event or segment. */
  private readonly parts = new Map<string, number>();
  readonly columns: string[] = [];
  readonly joins: string[] = [];

  constructor(
    private readonly values: unknown[],
    private readonly use: ClauseUse,
  ) {}

  predicate(node: Predicate): string {
    switch (node.kind) {
      case 'all':
        return this.combined(node.of, 'AND', 'true');
      case 'any':
        return this.use === 'set' && node.of.length > 1 && node.of.some(isLog)
          ? this.union(node.of)
          : this.combined(node.of, 'OR', 'false');
      case 'not':
        return this.negation(node.of);
      case 'email':
        return this.email(node.is);
      case 'subscribed':
        return 'c.subscribed';
      case 'time':
        return this.time(COLUMN[node.of], node.range);
      case 'data':
        return this.data(node.path, node.is);
      case 'event':
      case 'member':
        if (this.use === 'test') return this.joined(node);
        // PostgreSQL reads the ids into a hash table once. EXISTS outside of WHERE is a lookup for each contact.
        if (this.use === 'scan') return `((c.id IN (${this.contactsOf(node)} AND l.contact_id IS NOT NULL)) IS TRUE)`;
        // On a walk, OFFSET 0 keeps PostgreSQL from reading all events or members into a hash table first.
        return `EXISTS (${this.contactsOf(node)} AND l.contact_id = c.id${this.use === 'walk' ? ' OFFSET 0' : ''})`;
    }
  }

  /** Joins the contacts of events or members, which indexes return in the order of their ids. */
  private joined(node: Log): string {
    return this.column(JSON.stringify(node), () => {
      const name = `log_${this.joins.length}`;
      const contacts = `SELECT DISTINCT l.contact_id FROM (${this.contactsOf(node)} AND l.contact_id IS NOT NULL) l`;
      this.joins.push(`LEFT JOIN (${contacts}) ${name} ON ${name}.contact_id = c.id`);
      return `${name}.contact_id IS NOT NULL`;
    });
  }

  /** Returns a query for the ids of the contacts with an event or in a static segment. */
  contactsOf(node: Log): string {
    if (node.kind === 'member')
      return `SELECT l.contact_id FROM segment_members l WHERE l.segment_id = ${this.put(node.segmentId)}::uuid`;
    const times = node.range.from || node.range.to ? ` AND ${this.time('l.created_at', node.range)}` : '';
    return `SELECT l.contact_id FROM events l
              WHERE l.project_id = $1::uuid AND l.name = ${this.put(node.name)}::text${times}`;
  }

  /**
   * Combines alternatives that include events or members. PostgreSQL can join with a union of ids, but tests an OR for
   * each contact. For UNION ALL, the planner would always estimate 200 distinct ids.
   */
  private union(nodes: Predicate[]): string {
    const others = nodes.filter((node) => !isLog(node));
    const own =
      others.length === 0
        ? []
        : [`SELECT c.id FROM contacts c WHERE c.project_id = $1 AND ${this.combined(others, 'OR', 'false')}`];
    return `EXISTS (SELECT FROM (${[...own, ...nodes.filter(isLog).map((node) => this.contactsOf(node))].join(' UNION ')}) u(id) WHERE u.id = c.id)`;
  }

  private put(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  private combined(nodes: Predicate[], by: 'AND' | 'OR', none: string): string {
    return nodes.length === 0 ? none : `(${nodes.map((node) => this.predicate(node)).join(` ${by} `)})`;
  }

  private negation(node: Predicate): string {
    const sql = this.predicate(node);
    // PostgreSQL converts only this form to a join.
    return isLog(node) ? `NOT ${sql}` : `((${sql}) IS NOT TRUE)`;
  }

  private email(is: EmailTest): string {
    if (is.test === 'oneOf') return `c.email = ANY (${this.put(is.values)}::text[])`;
    // LIKE uses the trigram index.
    const literal = is.text.replace(/[\\%_]/g, '\\$&');
    const pattern = { contains: `%${literal}%`, startsWith: `${literal}%`, endsWith: `%${literal}` }[is.test];
    return `c.email LIKE ${this.put(pattern)}`;
  }

  private time(column: string, { from, to }: TimeRange): string {
    const parts = [
      ...(from ? [`${column} >= ${this.put(from)}::timestamptz`] : []),
      ...(to ? [`${column} < ${this.put(to)}::timestamptz`] : []),
    ];
    return `(${parts.join(' AND ')})`;
  }

  private data(path: string, is: DataTest): string {
    switch (is.test) {
      case 'oneOf':
        return this.oneOf(path, is.values);
      case 'exists':
        return `jsonb_typeof(${this.valueAt(path)}) <> 'null'`;
      case 'number': {
        const value = this.valueAt(path);
        return `(jsonb_typeof(${value}) = 'number'
                  AND ${value} ${OPERATOR[is.order]} ${this.put(JSON.stringify(is.than))}::jsonb)`;
      }
      case 'string':
        return `(${this.textAt(path)} COLLATE "C" ${OPERATOR[is.order]} ${this.put(is.than)} AND ${this.isString(path)})`;
      case 'time':
        return this.dateInData(this.textAt(path), is.range);
      case 'timeIn':
        return this.datesInData(this.textAt(path), is);
      default:
        return `(${this.text(`fold_case(${this.textAt(path)})`, is)} AND ${this.isString(path)})`;
    }
  }

  private text(folded: string, { test, text }: TextTest): string {
    const wanted = `${this.put(text)}::text`;
    switch (test) {
      case 'contains':
        return `strpos(${folded}, ${wanted}) > 0`;
      case 'startsWith':
        return `starts_with(${folded}, ${wanted})`;
      case 'endsWith':
        return `right(${folded}, char_length(${wanted})) = ${wanted}`;
    }
  }

  private dateInData(text: string, { from, to }: TimeRange): string {
    const parts = [
      ...this.dayGates(text, { from, to }),
      ...(from ? [this.comparedInstant(text, '>=', from)] : []),
      ...(to ? [this.comparedInstant(text, '<', to)] : []),
    ];
    return `(${parts.join(' AND ')})`;
  }

  /** Texts of the usual forms are compared without being converted. */
  private comparedInstant(text: string, operator: '>=' | '<', instant: Date): string {
    const converted = `${operator} ${this.put(instant)}::timestamptz`;
    return hasFourDigitYear(instant)
      ? `coalesce(iso_text(${text}) COLLATE "C" ${operator} ${this.put(instant.toISOString())},
                  iso_instant_checked(${text}) ${converted})`
      : `iso_instant(${text}) ${converted}`;
  }

  private datesInData(text: string, { days, moments }: Extract<DataTest, { test: 'timeIn' }>): string {
    const all = [...days, ...moments].map(Number);
    const isOne = [
      ...(days.length > 0
        ? [
            `(iso_instant(${text}) AT TIME ZONE 'UTC')::date = ANY (${this.put(days.map((day) => day.toISOString().slice(0, 10)))}::date[])`,
          ]
        : []),
      ...(moments.length > 0 ? [`iso_instant(${text}) = ANY (${this.put(moments)}::timestamptz[])`] : []),
    ];
    const gates = this.dayGates(text, { from: new Date(Math.min(...all)), to: new Date(Math.max(...all) + DAY) });
    return `(${[...gates, `(${isOne.join(' OR ')})`].join(' AND ')})`;
  }

  /**
   * Excludes texts that start with a day far outside of the range, because parsing a date takes 2 µs.
   */
  private dayGates(text: string, { from, to }: TimeRange): string[] {
    return [
      ...(from ? this.dayGate(text, '>=', new Date(from.getTime() - DAY)) : []),
      // Texts with a time sort after their day.
      ...(to ? this.dayGate(text, '<', new Date(to.getTime() + 2 * DAY)) : []),
    ];
  }

  /** Zones move a date by less than a day. */
  private dayGate(text: string, operator: '>=' | '<', day: Date): string[] {
    return hasFourDigitYear(day) ? [`${text} COLLATE "C" ${operator} ${this.put(day.toISOString().slice(0, 10))}`] : [];
  }

  private oneOf(path: string, wanted: JsonValue[]): string {
    if (wanted.length === 0) return 'false';
    if (wanted.length > MAX_SINGLE_VALUES)
      return `${this.valueAt(path)} = ANY (${this.put(wanted.map((value) => JSON.stringify(value)))}::jsonb[])`;
    const texts = wanted.filter((value) => typeof value === 'string');
    if (texts.length < 2) return `(${wanted.map((value) => this.equals(path, value)).join(' OR ')})`;
    // Each `@>` reads the whole data.
    const isText = `(${this.textAt(path)} = ANY (${this.put(texts)}::text[]) AND ${this.isString(path)})`;
    const others = wanted.filter((value) => typeof value !== 'string').map((value) => this.equals(path, value));
    return `(${[isText, ...others].join(' OR ')})`;
  }

  /** `@>` is faster than comparing an extracted value. */
  private equals(path: string, wanted: JsonValue): string {
    const contains = (value: unknown): string => `c.data @> ${this.put(JSON.stringify(value))}::jsonb`;
    // `@>` also matches objects and lists that contain more, so these must be compared as a whole, too.
    const whole =
      typeof wanted === 'object' && wanted !== null
        ? ` AND ${this.valueAt(path)} = ${this.put(JSON.stringify(wanted))}::jsonb`
        : '';
    const asKey = contains(Object.fromEntries([[path, wanted]]));
    const keys = path.split('.');
    if (keys.length === 1) return `(${asKey}${whole})`;
    const nested = contains(keys.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), wanted));
    return `((${asKey} OR ${nested} AND NOT c.data ? ${this.put(path)}::text)${whole})`;
  }

  /** The value at a path as text. `->>` needs no copy of the value as JSON. */
  private textAt(path: string): string {
    return path.includes('.')
      ? this.column(`text ${path}`, () => `(${this.value(path)} #>> '{}')`)
      : this.column(`text ${path}`, () => `(c.data ->> ${this.put(path)}::text)`);
  }

  private valueAt(path: string): string {
    return this.column(`value ${path}`, () => this.value(path));
  }

  /** For tests of all contacts, makes a column of an expression, unless there is one. */
  private column(key: string, expression: () => string): string {
    if (this.use !== 'test') return expression();
    const known = this.parts.get(key);
    if (known !== undefined) return columnOf(known);
    const place = this.columns.length;
    this.parts.set(key, place);
    this.columns.push(`${expression()} AS part_${place}`);
    return columnOf(place);
  }

  /** To be tested last, because few contacts get that far. */
  private isString(path: string): string {
    return `jsonb_typeof(${this.value(path)}) = 'string'`;
  }

  /** The value at a path of the data: of the key that equals the whole path, otherwise of nested objects. */
  private value(path: string): string {
    const keys = path.split('.');
    const key = this.put(path);
    if (keys.length === 1) return `(c.data -> ${key}::text)`;
    const nested = keys.map((part) => `-> ${this.put(part)}::text`).join(' ');
    return `(CASE WHEN c.data ? ${key}::text THEN c.data -> ${key}::text ELSE c.data ${nested} END)`;
  }
}
