/** The pages of an export: the next rows of each kind as text, and the position after them. */
import type { PoolClient } from 'pg';
import { selectRecipients, type RecipientRow } from '../campaigns/sql/recipients.js';
import { csvLine, guardFormula } from '../csv.js';
import { FIRST_ID } from '../../ids.js';
import type { JobRef } from '../jobs/sql.js';
import { selectSuppressions } from '../suppressions/sql.js';
import { contactJson, contactLine, contactsHeader } from './contacts.js';
import type { ExportKind, ExportParams } from './params.js';
import {
  EXPORT_PAGE_ROWS,
  selectContactsToExport,
  selectEventsToExport,
  selectSetToExport,
  type ExportedContact,
  type ExportedEvent,
} from './sql.js';

export interface ExportPage {
  /** The rows in the format of the export: lines, or JSON objects. */
  rows: string[];
  /** The position of the last row; null after the last page. */
  after: string[] | null;
}

/** An export whose set of rows is fixed. */
export interface FixedExport extends ExportParams, JobRef {
  startedAt: string;
}

type PageReader = (tx: PoolClient, spec: FixedExport) => Promise<ExportPage>;

const EVENT_COLUMNS = ['id', 'name', 'contactId', 'contactEmail', 'emailId', 'createdAt', 'data'] as const;
const RECIPIENT_COLUMNS = [
  'emailId',
  'contactId',
  'email',
  'status',
  'attempts',
  'error',
  'bounceType',
  'bounceReason',
  'opens',
  'clicks',
  'createdAt',
  'sentAt',
  'deliveredAt',
  'openedAt',
  'clickedAt',
  'bouncedAt',
  'complainedAt',
] as const satisfies ReadonlyArray<keyof RecipientRow>;
const SUPPRESSION_COLUMNS = ['email', 'reason', 'detail', 'emailId', 'createdAt'] as const;

/** Returns the header of a CSV file. */
export function exportHeader({ kind, columns }: Pick<ExportParams, 'kind' | 'columns'>): string {
  switch (kind) {
    case 'contacts':
      return contactsHeader(columns);
    case 'recipients':
      return csvLine(RECIPIENT_COLUMNS);
    case 'events':
      return csvLine(EVENT_COLUMNS);
    case 'suppressions':
      return csvLine(SUPPRESSION_COLUMNS);
  }
}

const cellOf = (value: string | number | Date | null): string =>
  value instanceof Date ? value.toISOString() : value === null ? '' : guardFormula(String(value));

/** Returns the cells of a row in the order of the columns. */
const lineOf = <Key extends string>(
  row: Record<NoInfer<Key>, string | number | Date | null>,
  columns: readonly Key[],
): string => csvLine(columns.map((column) => cellOf(row[column])));

const contacts: PageReader = async (tx, spec) => {
  const format = ({ format, columns }: FixedExport, row: ExportedContact): string =>
    format === 'csv' ? contactLine(row, columns) : contactJson(row);
  if (spec.query !== null) {
    const { rows, last } = await selectSetToExport(tx, spec, spec.after?.[0] ?? null);
    return { rows: rows.map((row) => format(spec, row)), after: last === null ? null : [last] };
  }
  const [createdAt = FIRST_INSTANT, id = FIRST_ID] = spec.after ?? [];
  const rows = await selectContactsToExport(tx, { ...spec, after: [createdAt, id] });
  const last = rows.at(-1);
  return { rows: rows.map((row) => format(spec, row)), after: last ? [last.createdAt.toISOString(), last.id] : null };
};

const FIRST_INSTANT = new Date(0).toISOString();
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const events: PageReader = async (tx, spec) => {
  const [createdAt = spec.startedAt, id = LAST_ID] = spec.after ?? [];
  const rows = await selectEventsToExport(tx, spec.projectId, [createdAt, id]);
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => (spec.format === 'csv' ? lineOf(row, EVENT_COLUMNS) : eventJson(row))),
    after: last ? [last.createdAt.toISOString(), last.id] : null,
  };
};

const eventJson = ({ id, name, contactId, contactEmail, emailId, createdAt, data }: ExportedEvent): string =>
  `${JSON.stringify({ id, name, contactId, contactEmail, emailId, createdAt }).slice(0, -1)},"data":${data}}`;

const recipients: PageReader = async (tx, { campaignId, after, format }) => {
  const rows = await selectRecipients(tx, {
    campaignId: campaignId ?? '',
    after: after?.[0],
    limit: EXPORT_PAGE_ROWS,
  });
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => (format === 'csv' ? lineOf(row, RECIPIENT_COLUMNS) : JSON.stringify(row))),
    after: last ? [last.emailId] : null,
  };
};

const suppressions: PageReader = async (tx, { projectId, startedAt, after, format }) => {
  const [createdAt = nextMillisecond(startedAt), email = ''] = after ?? [];
  const rows = await selectSuppressions(tx, { projectId, after: { createdAt, email }, limit: EXPORT_PAGE_ROWS });
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => (format === 'csv' ? lineOf(row, SUPPRESSION_COLUMNS) : JSON.stringify(row))),
    after: last ? [last.createdAt.toISOString(), last.email] : null,
  };
};

const nextMillisecond = (instant: string): string => new Date(Date.parse(instant) + 1).toISOString();

const READERS: Record<ExportKind, PageReader> = { contacts, recipients, events, suppressions };

/** Reads the next page of an export. */
export const readExportPage: PageReader = (tx, spec) => READERS[spec.kind](tx, spec);
