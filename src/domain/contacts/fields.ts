/** The fields of contacts (contract, section 3): what there are, their values, who uses them, and deleting one. */
import type { Context } from '../../context.js';
import {
  campaignsUsingField,
  contactsWithField,
  countValues,
  dataStats,
  removeField,
  segmentsUsingField,
  standardFieldValues,
  dataFieldValues,
  workflowsUsingField,
  type DataStats,
  type FieldType,
  type Named,
  type StandardField,
} from './sql/fields.js';
import { IS_CHANGED } from '../columns/sql/columns.js';
import { badRequest, conflict } from '../../errors.js';
import { answered } from '../columns/find.js';
import { keysByColumns, valuesByColumns } from '../columns/survey.js';
import { givingWay } from '../give-way.js';

export interface Field {
  field: string;
  type: FieldType;
  /** Percent of the contacts, with two decimals. */
  coverage: number;
}

/** The fields that every contact has. */
export const STANDARD_FIELDS: Record<StandardField, FieldType> = {
  email: 'string',
  subscribed: 'boolean',
  createdAt: 'date',
  updatedAt: 'date',
};
const PREFIX = 'data.';

const isStandard = (field: string): field is StandardField => Object.hasOwn(STANDARD_FIELDS, field);

type FieldName = { standard: StandardField } | { key: string };

/** `plan` and `data.plan` are the same field; `data.email` would be a key of the data, `email` is the address. */
const readName = (field: string): FieldName =>
  isStandard(field) ? { standard: field } : { key: field.startsWith(PREFIX) ? field.slice(PREFIX.length) : field };

const nameOf = (field: FieldName): string => ('standard' in field ? field.standard : `${PREFIX}${field.key}`);

/** The standard fields, then the keys of the data by name; the type of a key is that of most of its values. */
export async function listFields(ctx: Context, projectId: string): Promise<{ fields: Field[]; count: number }> {
  const { contacts, keys } = await answered(ctx, projectId, async (tx) => {
    const known = await keysByColumns({ cache: ctx.columns, tx, projectId });
    if (!known) return { byColumns: false, answer: await dataStats(tx, projectId) };
    return { byColumns: true, answer: sumOf(known, await dataStats(tx, projectId, IS_CHANGED)) };
  });
  const standard = Object.entries(STANDARD_FIELDS).map(([field, type]) => ({ field, type, coverage: 100 }));
  const names = [...keys.keys()].sort((a, b) => (a < b ? -1 : 1));
  const custom = names.map((key) => {
    const counts = keys.get(key) ?? NOTHING;
    return {
      field: `${PREFIX}${key}`,
      type: mostFrequent(counts),
      coverage: Math.round((sum(counts) / contacts) * 10_000) / 100,
    };
  });
  const fields = [...standard, ...custom];
  return { fields, count: fields.length };
}

type TypeCounts = Record<FieldType, number>;
const TYPES = ['boolean', 'date', 'number', 'string'] as const satisfies readonly FieldType[];
const NOTHING: TypeCounts = { boolean: 0, date: 0, number: 0, string: 0 };

const sum = (counts: TypeCounts): number => TYPES.reduce((all, type) => all + counts[type], 0);
const mostFrequent = (counts: TypeCounts): FieldType =>
  TYPES.reduce<FieldType>((best, type) => (counts[type] > counts[best] ? type : best), 'boolean');

function sumOf(a: DataStats, b: DataStats): DataStats {
  const keys = new Map(a.keys);
  for (const [key, counts] of b.keys) {
    const before = keys.get(key) ?? NOTHING;
    keys.set(key, {
      boolean: before.boolean + counts.boolean,
      date: before.date + counts.date,
      number: before.number + counts.number,
      string: before.string + counts.string,
    });
  }
  return { contacts: a.contacts + b.contacts, keys };
}

export interface FieldValues {
  field: string;
  values: unknown[];
  count: number;
  limit: number;
}

/** Distinct values, the most frequent first; none for a field that no contact has. */
export async function fieldValues(ctx: Context, projectId: string, name: string, limit: number): Promise<FieldValues> {
  const field = readName(name);
  const values =
    'standard' in field
      ? await standardFieldValues(ctx.pool, projectId, field.standard, limit)
      : await valuesOf(ctx, projectId, field.key, limit);
  return { field: nameOf(field), values, count: values.length, limit };
}

const valuesOf = (ctx: Context, projectId: string, key: string, limit: number): Promise<unknown[]> =>
  answered(ctx, projectId, async (tx) => {
    const changed = await countValues(tx, projectId, key, IS_CHANGED);
    const values = await valuesByColumns({ cache: ctx.columns, tx, projectId }, { key, limit, changed });
    return { byColumns: values !== null, answer: values ?? (await dataFieldValues(tx, projectId, key, limit)) };
  });

export interface FieldUsage {
  usedInSegments: Named[];
  usedInCampaigns: Named[];
  usedInWorkflows: Named[];
  contactCount: number;
  canDelete: boolean;
}

/** Where a field is referenced; a standard field is never to be deleted. */
export async function fieldUsage(ctx: Context, projectId: string, name: string): Promise<FieldUsage> {
  const field = readName(name);
  const [uses, contactCount] = await Promise.all([usesOf(ctx, projectId, field), contactsWith(ctx, projectId, field)]);
  return { ...uses, contactCount, canDelete: 'key' in field && isUnused(uses) };
}

const contactsWith = (ctx: Context, projectId: string, field: FieldName): Promise<number> =>
  answered(ctx, projectId, async (tx) => {
    const key = 'key' in field ? field.key : null;
    const known = await keysByColumns({ cache: ctx.columns, tx, projectId }, key === null ? [] : [key]);
    if (!known) return { byColumns: false, answer: await contactsWithField(tx, projectId, key) };
    const changed = await contactsWithField(tx, projectId, key, IS_CHANGED);
    return { byColumns: true, answer: changed + (key === null ? known.contacts : sum(known.keys.get(key) ?? NOTHING)) };
  });

type Uses = Pick<FieldUsage, 'usedInSegments' | 'usedInCampaigns' | 'usedInWorkflows'>;

async function usesOf({ pool }: Context, projectId: string, field: FieldName): Promise<Uses> {
  const reference = { projectId, field: nameOf(field), key: 'key' in field ? field.key : null };
  const [usedInSegments, usedInCampaigns, usedInWorkflows] = await Promise.all([
    segmentsUsingField(pool, reference),
    campaignsUsingField(pool, reference),
    workflowsUsingField(pool, reference),
  ]);
  return { usedInSegments, usedInCampaigns, usedInWorkflows };
}

const isUnused = ({ usedInSegments, usedInCampaigns, usedInWorkflows }: Uses): boolean =>
  usedInSegments.length + usedInCampaigns.length + usedInWorkflows.length === 0;

/** Contacts of one transaction. */
const STEP = 5000;

/**
 * Deletes a key from the data of every contact of the project, in steps: a million contacts are not locked at once.
 * What an interruption leaves, a repeat deletes.
 *
 * @throws BAD_REQUEST (400, a standard field), CONFLICT (409, the field is used; `details` says where)
 */
export async function deleteField(ctx: Context, projectId: string, name: string): Promise<{ deletedFrom: number }> {
  const field = readName(name);
  if ('standard' in field) throw badRequest(`The standard field "${field.standard}" can not be deleted.`);
  const uses = await usesOf(ctx, projectId, field);
  if (!isUnused(uses))
    throw conflict(`The field "${nameOf(field)}" is used by segments, campaigns or workflows.`, {
      details: { ...uses },
    });
  let deletedFrom = 0;
  let after: string | null = null;
  do {
    const step: { last: string | null; changed: number } = await givingWay(ctx.pool, (tx) =>
      removeField(tx, { projectId, key: field.key, after, limit: STEP }),
    );
    deletedFrom += step.changed;
    after = step.last;
  } while (after !== null);
  return { deletedFrom };
}
