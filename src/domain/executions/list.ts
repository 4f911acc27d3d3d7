/** `GET /workflows/:id/executions` (contract, section 7; additions, section 5). */
import type { Context } from '../../context.js';
import type { ExecutionStatus } from '../../generated/prisma/enums.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import {
  decodeCursor,
  encodeCursor,
  invalidCursor,
  isTimestamp,
  likePattern,
  toPage,
  type Page,
  type PageRequest,
} from '../pagination.js';
import type { Execution } from './get.js';
import { hasWorkflow } from './sql/executions.js';
import { countExecutions, findContactsByEmail, selectExecutions, type ExecutionFilter } from './sql/list.js';

/** An execution in the list of a workflow. */
export interface ListedExecution extends Execution {
  contactEmail: string;
  /** The name of the current step, or of the last one; null before the first step. */
  currentStepName: string | null;
  /** When a delay or the timeout of a wait ends; null at other steps and without a timeout. */
  wakeAt: Date | null;
}

export interface ListExecutions extends PageRequest {
  /** Continues after the last execution of another page. `page` is then ignored. */
  cursor?: string;
  status?: ExecutionStatus;
  contactId?: string;
  stepId?: string;
  /** A part of the contact's address; case-insensitive. */
  search?: string;
}

export interface ExecutionPage extends Page<ListedExecution> {
  cursor: string | null;
  hasMore: boolean;
}

/** Up to this number of matching contacts, their executions are looked up. Otherwise, all executions are searched. */
const MAX_FOUND_CONTACTS = 1000;
/** The largest total of a search with more matching contacts. */
const MAX_COUNTED = 10_000;

/**
 * Returns a page of a workflow's executions, newest first. After a cursor, nothing is counted.
 *
 * @throws WORKFLOW_NOT_FOUND (404); VALIDATION_ERROR (422, field `cursor`) for a cursor of another list
 */
export async function listExecutions(
  { pool }: Context,
  projectId: string,
  workflowId: string,
  { page, pageSize, cursor, status, contactId, stepId, search }: ListExecutions,
): Promise<ExecutionPage> {
  if (!isId(workflowId) || !(await hasWorkflow(pool, projectId, workflowId))) throw notFound('WORKFLOW');
  const after = cursor === undefined ? null : decodeCursor(cursor);
  if (after && !isTimestamp(after.value)) throw invalidCursor();
  const empty = { ...toPage<ListedExecution>([], 0, { page, pageSize }), cursor: null, hasMore: false };
  // A malformed id matches nothing.
  if ([contactId, stepId].some((id) => id !== undefined && !isId(id))) return empty;
  const text = search?.trim().toLowerCase();
  const pattern = text ? likePattern(text) : null;
  const contactIds = pattern === null ? null : await findContactsByEmail(pool, projectId, pattern, MAX_FOUND_CONTACTS);
  const filter: ExecutionFilter = {
    projectId,
    workflowId,
    status: status ?? null,
    contactId: contactId ?? null,
    stepId: stepId ?? null,
    contactIds,
    pattern: contactIds === null ? pattern : null,
  };
  const offset = after ? 0 : (page - 1) * pageSize;
  const [rows, total] = await Promise.all([
    selectExecutions(pool, filter, { after, limit: pageSize + 1, offset }),
    after ? 0 : countExecutions(pool, filter, filter.pattern === null ? null : MAX_COUNTED),
  ]);
  const data = rows.slice(0, pageSize);
  const last = data.at(-1);
  const hasMore = rows.length > pageSize;
  return {
    ...(after ? { data, page: 0, pageSize, total: 0, totalPages: 0 } : toPage(data, total, { page, pageSize })),
    cursor: hasMore && last ? encodeCursor({ value: last.startedAt.toISOString(), id: last.id }) : null,
    hasMore,
  };
}
