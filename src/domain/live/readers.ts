/** The state of each topic with figures, as the messages of its stream. */
import type { ApiContext, Context } from '../../context.js';
import { listDomains } from '../domains/manage.js';
import { listCurrentJobs } from '../jobs/get.js';
import { readSecurity } from '../reputation/security.js';
import { CampaignProgressReader, ENDED_RECENTLY_MS, hasEnded } from './campaign-progress.js';
import type { FigureTopic } from './figures-channel.js';
import { countAtSteps } from './sql.js';
import { workflowOf } from './topics.js';

/** The data of a message. A topic has one value per resource. */
export interface Value {
  /** The resource's id. */
  key: string;
  json: string;
  /** Names the end that the resource has reached, or null. A retry of a campaign has an end of its own. */
  end: string | null;
}

export type Reader = () => Promise<Value[]>;

export interface WorkflowFigures {
  workflowId: string;
  /** By the step's id: the executions that are at the step. */
  steps: Record<string, { waiting: number }>;
}

const toValue = (data: { id: string }): Value => ({ key: data.id, json: JSON.stringify(data), end: null });

/** Returns a function that reads the current state of a topic. */
export function createReader(ctx: ApiContext, projectId: string, topic: FigureTopic): Reader {
  switch (topic) {
    case 'campaigns': {
      const reader = new CampaignProgressReader(ctx.pool, projectId);
      return async () =>
        (await reader.read()).map(({ progress, attempt }) => ({
          ...toValue(progress),
          end: hasEnded(progress) ? `attempt ${attempt}` : null,
        }));
    }
    case 'domains':
      return async () => (await listDomains(ctx, projectId)).map(toValue);
    case 'reputation':
      return async () => {
        const security = await readSecurity(ctx, projectId);
        return [{ key: projectId, json: JSON.stringify(security), end: null }];
      };
    case 'jobs':
      return async () =>
        (await listCurrentJobs(ctx, projectId, new Date(Date.now() - ENDED_RECENTLY_MS))).map((job) => ({
          ...toValue(job),
          end: job.endedAt?.toISOString() ?? null,
        }));
    default:
      return () => readWorkflow(ctx, projectId, workflowOf(topic) ?? '');
  }
}

async function readWorkflow({ pool }: Context, projectId: string, workflowId: string): Promise<Value[]> {
  const rows = await countAtSteps(pool, projectId, workflowId);
  const figures: WorkflowFigures = {
    workflowId,
    steps: Object.fromEntries(rows.map(({ stepId, waiting }) => [stepId, { waiting }])),
  };
  return [{ key: workflowId, json: JSON.stringify(figures), end: null }];
}
