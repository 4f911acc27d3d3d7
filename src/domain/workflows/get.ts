/** Reads workflows. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import {
  countWorkflows,
  selectWorkflow,
  selectWorkflows,
  type StepRow,
  type TransitionRow,
  type WorkflowRow,
} from './sql/workflows.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { toRevised, type Revised } from '../revisions.js';
import { likePattern, toPage, type Page, type PageRequest } from '../pagination.js';

export type Step = StepRow;
export type Transition = TransitionRow;

/** A workflow as the API shows it. */
export type Workflow = Omit<WorkflowRow, 'eventName' | 'triggerType' | 'revision'> &
  Revised & {
    triggerType: 'EVENT';
    triggerConfig: { eventName: string };
  };

export const toWorkflow = ({ eventName, ...row }: WorkflowRow): Workflow => ({
  ...toRevised(row),
  triggerType: 'EVENT',
  triggerConfig: { eventName },
});

/** @throws WORKFLOW_NOT_FOUND (404), also for a malformed id and for a workflow of another project */
export const getWorkflow = ({ pool }: Context, projectId: string, id: string): Promise<Workflow> =>
  readWorkflow(pool, projectId, id);

/** As getWorkflow, on a given connection. */
export async function readWorkflow(db: Queryable, projectId: string, id: string): Promise<Workflow> {
  const row = isId(id) ? await selectWorkflow(db, projectId, id) : undefined;
  if (!row) throw notFound('WORKFLOW');
  return toWorkflow(row);
}

export interface ListWorkflows extends PageRequest {
  /** A part of the name or the description; case-insensitive. */
  search?: string;
  sort: 'createdAt' | 'name' | 'updatedAt';
  dir: 'asc' | 'desc';
}

export async function listWorkflows(
  { pool }: Context,
  projectId: string,
  { page, pageSize, search, sort, dir }: ListWorkflows,
): Promise<Page<Workflow>> {
  const text = search?.trim();
  const filter = { projectId, pattern: text ? likePattern(text) : null };
  const [rows, total] = await Promise.all([
    selectWorkflows(pool, { ...filter, sort, dir, limit: pageSize, offset: (page - 1) * pageSize }),
    countWorkflows(pool, filter),
  ]);
  return toPage(rows.map(toWorkflow), total, { page, pageSize });
}
