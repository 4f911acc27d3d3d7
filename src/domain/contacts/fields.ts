/** The fields of contacts (contract, section 3): their list, their values, their usage, and their deletion. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import {
  campaignsUsingField,
  changeField,
  contactsWithField,
  dataStats,
  segmentsUsingField,
  standardFieldValues,
  dataFieldValues,
  workflowsUsingField,
  type ChangeField,
  type ContactSource,
  type FieldType,
  type Named,
  type StandardField,
} from './sql/fields.js';
import { badRequest, conflict, validationError } from '../../errors.js';
import { isReserved } from './data.js';
import { withLockTimeout } from '../lock-timeout.js';

export interface Field {
  field: string;
  type: FieldType;
  /** The percentage of contacts with the field, with two decimals. */
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

/** `plan` and `data.plan` name the same field. `data.email` is a key of the data, but `email` is the address. */
const readName = (field: string): FieldName =>
  isStandard(field) ? { standard: field } : { key: field.startsWith(PREFIX) ? field.slice(PREFIX.length) : field };

const nameOf = (field: FieldName): string => ('standard' in field ? field.standard : `${PREFIX}${field.key}`);

/**
 * Returns the standard fields, then the keys of the data by name. The type of a key is the type of most of its values. In
 * projects with 200,000 contacts or more, the result can be older than a minute, and the first one is from a sample of
 * 15,000 contacts.
 */
export async function listFields(ctx: Context, projectId: string): Promise<{ fields: Field[]; count: number }> {
  const survey = (source: ContactSource) => (tx: Queryable) => dataStats(tx, projectId, source);
  const { contacts, keys } = await ctx.surveys.fields.read(projectId, '', survey('all'), survey('sample'));
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

export interface FieldValues {
  field: string;
  values: unknown[];
  count: number;
  limit: number;
}

/**
 * Returns distinct values, the most frequent first; none for a field that no contact has. In projects with 200,000
 * contacts or more, the values can be older than a minute, and the first ones are from a sample of 15,000 contacts.
 */
export async function fieldValues(ctx: Context, projectId: string, name: string, limit: number): Promise<FieldValues> {
  const field = readName(name);
  const key = `${limit} ${nameOf(field)}`;
  const survey = (source: ContactSource) => (tx: Queryable) =>
    'standard' in field
      ? standardFieldValues(tx, projectId, field.standard, limit, source)
      : dataFieldValues(tx, projectId, field.key, limit, source);
  const values = await ctx.surveys.values.read(projectId, key, survey('all'), survey('sample'));
  return { field: nameOf(field), values, count: values.length, limit };
}

export interface FieldUsage {
  usedInSegments: Named[];
  usedInCampaigns: Named[];
  usedInWorkflows: Named[];
  contactCount: number;
  canDelete: boolean;
}

/** Returns where a field is used. A standard field cannot be deleted. */
export async function fieldUsage(ctx: Context, projectId: string, name: string): Promise<FieldUsage> {
  const field = readName(name);
  const [uses, contactCount] = await Promise.all([usesOf(ctx, projectId, field), contactsWith(ctx, projectId, field)]);
  return { ...uses, contactCount, canDelete: 'key' in field && isUnused(uses) };
}

const contactsWith = (ctx: Context, projectId: string, field: FieldName): Promise<number> =>
  ctx.surveys.totals.read(projectId, nameOf(field), (tx) =>
    contactsWithField(tx, projectId, 'key' in field ? field.key : null),
  );

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
const BATCH_SIZE = 5000;

/**
 * Deletes a key from the data of every contact of the project, in batches, so that a million contacts are never locked
 * together. After an interruption, another call deletes the rest.
 *
 * @throws BAD_REQUEST (400, a standard field), CONFLICT (409, the field is in use; see `details`)
 */
export async function deleteField(ctx: Context, projectId: string, name: string): Promise<{ deletedFrom: number }> {
  const key = await requireUnused(ctx, projectId, name);
  return { deletedFrom: await changeEverywhere(ctx, { projectId, key, to: null }) };
}

export interface RenamedField {
  renamedIn: number;
  /** Contacts that had both keys, and still do. */
  notRenamedIn: number;
}

/**
 * Renames a key in the data of every contact of the project, in batches. After an interruption, another call renames the
 * rest.
 *
 * @param to with or without the prefix `data.`
 * @throws BAD_REQUEST (400, a standard field); CONFLICT (409, the field is in use; see `details`); VALIDATION_ERROR (422,
 * field `to`: a reserved name, or the same one)
 */
export async function renameField(ctx: Context, projectId: string, name: string, to: string): Promise<RenamedField> {
  const newKey = to.startsWith(PREFIX) ? to.slice(PREFIX.length) : to;
  if (newKey === '' || isReserved(newKey))
    throw validationError([{ field: 'to', message: 'must not be a reserved name', code: 'custom' }]);
  const key = await requireUnused(ctx, projectId, name);
  if (key === newKey) throw validationError([{ field: 'to', message: 'must be another name', code: 'custom' }]);
  return {
    renamedIn: await changeEverywhere(ctx, { projectId, key, to: newKey }),
    notRenamedIn: await contactsWithField(ctx.pool, projectId, key),
  };
}

/** @returns the key of a field that can be changed */
async function requireUnused(ctx: Context, projectId: string, name: string): Promise<string> {
  const field = readName(name);
  if ('standard' in field) throw badRequest(`The standard field "${field.standard}" cannot be renamed or deleted.`);
  const uses = await usesOf(ctx, projectId, field);
  if (!isUnused(uses))
    throw conflict(`Segments, campaigns, or workflows use the field "${nameOf(field)}". Change them first.`, {
      details: { ...uses },
    });
  return field.key;
}

async function changeEverywhere(
  { pool }: Context,
  change: Pick<ChangeField, 'projectId' | 'key' | 'to'>,
): Promise<number> {
  let total = 0;
  let after: string | null = null;
  do {
    const step: { last: string | null; changed: number } = await withLockTimeout(pool, (tx) =>
      changeField(tx, { ...change, after, limit: BATCH_SIZE }),
    );
    total += step.changed;
    after = step.last;
  } while (after !== null);
  return total;
}
