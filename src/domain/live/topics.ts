/** The topics of a stream (additions, section 1). */
import type { Pool } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { countWorkflows } from './sql.js';

/** The topics with a fixed name. The others are `workflow:<id>`. */
export const NAMED_TOPICS = ['activity', 'campaigns', 'jobs', 'domains', 'reputation'] as const;
export type NamedTopic = (typeof NAMED_TOPICS)[number];
export type Topic = NamedTopic | `workflow:${string}`;

/** Topics of one stream. */
export const MAX_TOPICS = 20;

export const isNamedTopic = (topic: string): topic is NamedTopic => NAMED_TOPICS.some((name) => name === topic);

const isWorkflowTopic = (text: string): text is `workflow:${string}` => text.startsWith('workflow:');

/** Returns a topic in its canonical form, or null if there is no such topic. */
export function parseTopic(text: string): Topic | null {
  if (isNamedTopic(text)) return text;
  if (!isWorkflowTopic(text)) return null;
  const id = workflowOf(text);
  return id !== null && isId(id) ? `workflow:${id.toLowerCase()}` : null;
}

/** Returns the workflow's id of a topic; null for a named topic. */
export const workflowOf = (topic: string): string | null =>
  isWorkflowTopic(topic) ? topic.slice('workflow:'.length) : null;

/** @throws WORKFLOW_NOT_FOUND (404) if the workflow of a topic is not in the project */
export async function requireWorkflows(pool: Pool, projectId: string, topics: readonly Topic[]): Promise<void> {
  const ids = topics.map(workflowOf).filter((id) => id !== null);
  if (ids.length > 0 && (await countWorkflows(pool, projectId, ids)) < ids.length) throw notFound('WORKFLOW');
}
