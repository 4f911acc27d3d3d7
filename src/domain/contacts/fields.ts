/** The fields of contacts (contract, section 3): what there are, their values, who uses them, and deleting one. */
import type { Context } from '../../context.js';
import {
  campaignsUsingField,
  contactsWithField,
  dataFieldStats,
  removeField,
  segmentsUsingField,
  standardFieldValues,
  dataFieldValues,
  workflowsUsingField,
  type FieldType,
  type Named,
  type StandardField,
} from '../../db/sql/contact-fields.js';
import { badRequest, conflict } from '../../errors.js';
import { givingWay } from '../give-way.js';

export interface Field {
  field: string;
  type: FieldType;
  /** Percent of the contacts, with two decimals. */
  coverage: number;
}

/** The fields that every contact has. */
export const STANDARD_FIELDS: Record<StandardField, FieldType> = { email: 'string', subscribed: 'boolean', createdAt: 'date', updatedAt: 'date' };
const PREFIX = 'data.';

const isStandard = (field: string): field is StandardField => Object.hasOwn(STANDARD_FIELDS, field);

type FieldName = { standard: StandardField } | { key: string };

/** `plan` and `data.plan` are the same field; `data.email` would be a key of the data, `email` is the address. */
const readName = (field: string): FieldName => (isStandard(field) ? { standard: field } : { key: field.startsWith(PREFIX) ? field.slice(PREFIX.length) : field });

const nameOf = (field: FieldName): string => ('standard' in field ? field.standard : `${PREFIX}${field.key}`);

/** The standard fields, then the keys of the data by name. */
export async function listFields({ pool }: Context, projectId: string): Promise<{ fields: Field[]; count: number }> {
  const { contacts, keys } = await dataFieldStats(pool, projectId);
  const standard = Object.entries(STANDARD_FIELDS).map(([field, type]) => ({ field, type, coverage: 100 }));
  const custom = keys.map(({ key, type, count }) => ({ field: `${PREFIX}${key}`, type, coverage: Math.round((count / contacts) * 10_000) / 100 }));
  const fields = [...standard, ...custom];
  return { fields, count: fields.length };
}

export interface FieldValues {
  field: string;
  values: unknown[];
  count: number;
  limit: number;
}

/** Distinct values, the most frequent first; none for a field that no contact has. */
export async function fieldValues({ pool }: Context, projectId: string, name: string, limit: number): Promise<FieldValues> {
  const field = readName(name);
  const values = 'standard' in field ? await standardFieldValues(pool, projectId, field.standard, limit) : await dataFieldValues(pool, projectId, field.key, limit);
  return { field: nameOf(field), values, count: values.length, limit };
}

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
  const [uses, contactCount] = await Promise.all([usesOf(ctx, projectId, field), contactsWithField(ctx.pool, projectId, 'key' in field ? field.key : null)]);
  return { ...uses, contactCount, canDelete: 'key' in field && isUnused(uses) };
}

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

const isUnused = ({ usedInSegments, usedInCampaigns, usedInWorkflows }: Uses): boolean => usedInSegments.length + usedInCampaigns.length + usedInWorkflows.length === 0;

/** Contacts of one transaction. */
const STEP = 5000;

/**
 * Deletes a key from the data of every contact of the project, in steps: a million contacts are not locked at once. What an interruption leaves,
 * a repeat deletes.
 *
 * @throws BAD_REQUEST (400, a standard field), CONFLICT (409, the field is used; `details` says where)
 */
export async function deleteField(ctx: Context, projectId: string, name: string): Promise<{ deletedFrom: number }> {
  const field = readName(name);
  if ('standard' in field) throw badRequest(`The standard field "${field.standard}" can not be deleted.`);
  const uses = await usesOf(ctx, projectId, field);
  if (!isUnused(uses)) throw conflict(`The field "${nameOf(field)}" is used by segments, campaigns or workflows.`, { details: { ...uses } });
  let deletedFrom = 0;
  let after: string | null = null;
  do {
    const step: { last: string | null; changed: number } = await givingWay(ctx.pool, (tx) => removeField(tx, { projectId, key: field.key, after, limit: STEP }));
    deletedFrom += step.changed;
    after = step.last;
  } while (after !== null);
  return { deletedFrom };
}
