/** The start intents of imports, bulk jobs, exports, and replays: one Temporal workflow per job. */
import type { StartIntent } from '../../db/outbox.js';
import type { JobRef } from './sql.js';
import type { JobKind } from '../../generated/prisma/enums.js';

const WORKFLOWS = {
  IMPORT: { prefix: 'import', workflowType: 'contactImport', summary: 'Import contacts' },
  BULK: { prefix: 'bulk', workflowType: 'bulkJob', summary: 'Change many contacts' },
  EXPORT: { prefix: 'export', workflowType: 'exportJob', summary: 'Export rows' },
  REPLAY: { prefix: 'replay', workflowType: 'webhookReplay', summary: 'Replay deliveries of a webhook' },
} as const;

export const jobStart = (job: JobRef, kind: JobKind): StartIntent => {
  const { prefix, workflowType, summary } = WORKFLOWS[kind];
  return {
    action: 'start',
    workflowId: `${prefix}:${job.jobId}`,
    workflowType,
    taskQueue: 'bulk',
    args: [job],
    projectId: job.projectId,
    resourceId: job.jobId,
    resourceKind: prefix,
    summary,
  };
};
