/** What events start and wake, as the database has it. */
import { expect } from 'vitest';
import type { ApiContext } from '../../src/context.js';
import { newId } from '../../src/ids.js';
import { insertGraph, type Graph, type GraphSpec } from './workflow-graph.js';

/** What an execution says of its start. */
export interface BegunExecution {
  id: string;
  contactId: string;
  email: string;
  status: string;
  context: Record<string, unknown>;
  /** The event that started it, as it is stored; null when none did. */
  event: { name: string; contactId: string; data: Record<string, unknown> } | null;
  /** Start intents for its Temporal workflow. */
  starts: number;
  pokes: number;
}

export function triggerHelpers(ready: () => ApiContext) {
  /** A workflow for this event, without steps. */
  const workflow = (projectId: string, eventName: string, spec: Partial<GraphSpec> = {}): Promise<Graph> =>
    insertGraph(ready(), projectId, { steps: {}, edges: [], eventName, ...spec });

  /** The executions of a workflow, the oldest first. */
  const begun = async ({ id }: { id: string }): Promise<BegunExecution[]> => {
    const { rows } = await ready().pool.query<BegunExecution>(
      `SELECT x.id, x.contact_id AS "contactId", c.email, x.status, x.context,
              CASE WHEN e.id IS NOT NULL THEN jsonb_build_object('name', e.name, 'contactId', e.contact_id, 'data', e.data) END AS event,
              (SELECT count(*) FROM outbox o WHERE o.workflow_id = 'execution:' || x.id AND o.action = 'start') AS starts,
              (SELECT count(*) FROM outbox o WHERE o.workflow_id = 'execution:' || x.id AND o.action = 'signal') AS pokes
         FROM workflow_executions x JOIN contacts c ON c.id = x.contact_id LEFT JOIN events e ON e.id = x.trigger_event_id
        WHERE x.workflow_id = $1 ORDER BY x.started_at, x.id`,
      [id],
    );
    return rows;
  };

  /** Expects that the event with this name and data has started the workflow for exactly this contact, once. */
  const expectStarted = async (graph: Graph, email: string, data: Record<string, unknown>): Promise<void> => {
    const [execution, ...others] = await begun(graph);
    expect(others).toEqual([]);
    expect(execution).toMatchObject({ email, status: 'RUNNING', starts: 1 });
    expect(execution?.context).toEqual(data);
    expect(execution?.event).toEqual({ name: graph.eventName, contactId: execution?.contactId, data });
  };

  /** An execution that waits for an event. @returns its id */
  const waiting = async (
    { id: workflowId, projectId }: Graph,
    contactId: string,
    waitingFor: string,
  ): Promise<string> => {
    const id = newId();
    await ready().prisma.workflowExecution.create({
      data: { id, projectId, workflowId, contactId, status: 'WAITING', waitingFor },
    });
    return id;
  };

  const pokesOf = (id: string): Promise<number> =>
    ready().prisma.outbox.count({ where: { workflowId: `execution:${id}`, action: 'signal' } });

  return { workflow, begun, expectStarted, waiting, pokesOf };
}
