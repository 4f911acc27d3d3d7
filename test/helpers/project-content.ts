/** A project with something of everything, made directly in the database. */
import type { ApiContext } from '../../src/context.js';
import { newId } from '../../src/ids.js';

export interface Filled {
  /** The ids of the Temporal workflows of what runs, domains and webhook endpoints included, in order. */
  running: string[];
  contact: string;
  template: string;
  segment: string;
  workflow: string;
  /** By status. */
  campaigns: Record<'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED', string>;
  emails: string[];
  /** Those that are waiting or active. */
  openJobs: string[];
}

/** One row of every table of a project, at least. */
export async function fillProject({ prisma, pool }: ApiContext, projectId: string): Promise<Filled> {
  const id = {
    domain: newId(),
    contact: newId(),
    template: newId(),
    segment: newId(),
    workflow: newId(),
    step: newId(),
    next: newId(),
    message: newId(),
  };
  const content = { projectId, name: 'n', subject: 's', body: 'b', from: 'a@b.test' };
  await prisma.domain.create({
    data: {
      id: id.domain,
      projectId,
      domain: `${id.domain}.test`,
      dkimSelector: 's',
      dkimPrivateKey: 'k',
      records: [],
    },
  });
  await prisma.contact.create({ data: { id: id.contact, projectId, email: 'c@d.test', subscribed: true } });
  await prisma.template.create({ data: { ...content, id: id.template } });
  const endpointId = newId();
  await prisma.webhookEndpoint.create({
    data: { id: endpointId, projectId, url: 'https://hook.test/', events: ['*'], secret: 's' },
  });
  await prisma.webhookNotice.create({ data: { id: newId(), projectId, type: 'campaign.sent', data: {} } });
  await prisma.webhookDelivery.create({ data: { endpointId, eventId: newId(), projectId, type: 'campaign.sent' } });
  await prisma.savedBlock.create({ data: { id: newId(), projectId, name: 'n', blocks: [] } });
  await prisma.segment.create({
    data: { id: id.segment, projectId, name: 'n', slug: 'n', members: { create: { contactId: id.contact } } },
  });
  const campaigns = { DRAFT: newId(), SCHEDULED: newId(), SENDING: newId(), SENT: newId(), CANCELLED: newId() };
  const states = Object.keys(campaigns) as Array<keyof typeof campaigns>;
  await prisma.campaign.createMany({
    data: states.map((status, index) => ({
      ...content,
      id: campaigns[status],
      status,
      attempt: index,
      audienceType: 'SEGMENT' as const,
      segmentId: id.segment,
      templateId: id.template,
    })),
  });
  await prisma.workflow.create({ data: { id: id.workflow, projectId, name: 'n', eventName: 'e', allowReentry: true } });
  await prisma.workflowStep.createMany({
    data: [
      { id: id.step, projectId, workflowId: id.workflow, type: 'TRIGGER', name: 't' },
      { id: id.next, projectId, workflowId: id.workflow, type: 'SEND_EMAIL', name: 's', templateId: id.template },
    ],
  });
  await prisma.workflowTransition.create({
    data: { id: newId(), projectId, workflowId: id.workflow, fromStepId: id.step, toStepId: id.next },
  });
  const open = newId();
  const executions = (['WAITING', 'COMPLETED', 'FAILED'] as const).map((status) => ({
    id: newId(),
    projectId,
    workflowId: id.workflow,
    contactId: id.contact,
    status,
    stepExecutionId: status === 'WAITING' ? open : null,
  }));
  await prisma.workflowExecution.createMany({ data: executions });
  await prisma.stepExecution.create({
    data: {
      id: open,
      projectId,
      executionId: executions[0]?.id ?? '',
      stepId: id.step,
      stepType: 'TRIGGER',
      stepName: 't',
      status: 'WAITING',
    },
  });
  await prisma.message.create({
    data: { id: id.message, projectId, type: 'MARKETING', subject: 's', body: 'b', from: 'a@b.test' },
  });
  await prisma.attachment.create({
    data: {
      projectId,
      messageId: id.message,
      position: 0,
      filename: 'f',
      contentType: 'text/plain',
      content: Buffer.from('x'),
    },
  });
  const email = {
    projectId,
    messageId: id.message,
    contactId: id.contact,
    templateId: id.template,
    type: 'MARKETING' as const,
    toEmail: 'c@d.test',
  };
  const emails = [
    { ...email, id: newId(), campaignId: campaigns.SENDING, source: 'CAMPAIGN' as const },
    { ...email, id: newId(), source: 'WORKFLOW' as const },
    { ...email, id: newId(), source: 'TRANSACTIONAL' as const },
  ];
  await prisma.email.createMany({ data: emails });
  const campaignId = campaigns.SENDING;
  await prisma.campaignChunk.create({ data: { projectId, campaignId, chunk: 1, size: 1, closedAt: new Date() } });
  await prisma.campaignRetry.create({ data: { projectId, campaignId, emailId: newId(), dueAt: new Date() } });
  await prisma.campaignVariant.create({
    data: { projectId, campaignId, id: 'a', position: 1, weight: 50, messageId: id.message },
  });
  await prisma.campaignWave.create({ data: { projectId, campaignId, dueAt: new Date(), total: 1 } });
  await prisma.event.createMany({
    data: [id.contact, null].map((contactId) => ({ id: newId(), projectId, contactId, name: 'e' })),
  });
  const jobs = (['IMPORT', 'BULK'] as const).flatMap((kind) =>
    (['waiting', 'active', 'completed', 'failed', 'cancelled'] as const).map((state) => ({
      id: newId(),
      projectId,
      kind,
      state,
      errors: [{ row: 2, email: 'c@d.test', error: 'x' }],
    })),
  );
  await prisma.job.createMany({ data: jobs });
  await prisma.exportPart.create({
    data: { jobId: jobs[0]?.id ?? '', projectId, position: 0, content: Buffer.from('x') },
  });
  await prisma.exportContact.create({ data: { jobId: jobs[0]?.id ?? '', projectId, contactId: id.contact } });
  await prisma.jobError.create({ data: { jobId: jobs[0]?.id ?? '', projectId, line: 2, cells: ['c'], error: 'x' } });
  await prisma.importFile.create({ data: { jobId: jobs[0]?.id ?? '', projectId, content: Buffer.from('email') } });
  await prisma.idempotencyKey.create({
    data: { projectId, key: 'k', request: 'POST /v1/send', response: {}, expiresAt: new Date() },
  });
  await prisma.sendBucket.create({ data: { projectId, tokens: 1, updatedAt: new Date() } });
  for (const sql of [
    `INSERT INTO rate_windows (project_id, second, count) VALUES ($1, 1, 1)`,
    `INSERT INTO tracking_hits (id, project_id, email_id, kind, machine) SELECT uuid_v7(), $1, id, 'open', false FROM emails WHERE project_id = $1 LIMIT 1`,
    `INSERT INTO former_addresses (project_id, email, contact_id) SELECT $1, 'old@d.test', id FROM contacts WHERE project_id = $1`,
    `INSERT INTO email_attempts (project_id, email_id, number, outcome) SELECT $1, id, 1, 'DEFERRED' FROM emails WHERE project_id = $1`,
    `INSERT INTO email_tags (project_id, tag, email_id) SELECT $1, 'receipt', id FROM emails WHERE project_id = $1`,
    `INSERT INTO email_unsubscribes (project_id, email_id, at) SELECT $1, id, now() FROM emails WHERE project_id = $1 LIMIT 1`,
    `INSERT INTO email_deltas (project_id, minute, source, type, domain, sent) VALUES ($1, now(), 'WORKFLOW', 'MARKETING', 'd.test', 1)`,
    `INSERT INTO email_quarters (project_id, dimension, key, at, sent) VALUES ($1, 'total', '', now(), 1)`,
    `INSERT INTO email_hours (project_id, dimension, key, at, sent) VALUES ($1, 'total', '', now(), 1)`,
    `INSERT INTO email_days (project_id, dimension, key, day, sent) VALUES ($1, 'source', 'WORKFLOW', now(), 1)`,
    `INSERT INTO campaign_minutes (project_id, campaign_id, minute, sent) SELECT $1, id, now(), 1 FROM campaigns WHERE project_id = $1`,
    `INSERT INTO campaign_links (project_id, campaign_id, link_id, url) SELECT $1, id, id, 'https://d.test' FROM campaigns WHERE project_id = $1`,
    `INSERT INTO campaign_clicks (project_id, campaign_id, link_id, email_id) SELECT $1, id, id, id FROM campaigns WHERE project_id = $1`,
    `INSERT INTO link_deltas (project_id, campaign_id, url, clicks) SELECT $1, id, 'https://d.test', 1 FROM campaigns WHERE project_id = $1`,
    `INSERT INTO workflow_figures (project_id, workflow_id, unit, at, node_id) SELECT $1, id, 'day', now(), id FROM workflows WHERE project_id = $1`,
    `INSERT INTO suppressions (project_id, email, reason) VALUES ($1, 'gone@d.test', 'bounce')`,
    `INSERT INTO project_days (project_id, day, sent) VALUES ($1, '2026-01-01', 1)`,
    `INSERT INTO stat_deltas (project_id, day, sent) VALUES ($1, '2026-01-02', 1)`,
    `INSERT INTO cleared_days (project_id, day) VALUES ($1, '2026-01-01')`,
    `INSERT INTO key_uses (project_id, kind) VALUES ($1, 'secret')`,
    `INSERT INTO event_days (project_id, day, name, count) VALUES ($1, '2026-01-01', 'e', 1)`,
    `INSERT INTO project_hours (project_id, hour, sent) VALUES ($1, '2026-01-01', 1)`,
    `INSERT INTO reputation_marks (project_id, at, sent, hard_bounced, complained) VALUES ($1, '2026-01-01', 1, 0, 0)`,
    `INSERT INTO reputation_suspects (project_id) VALUES ($1)`,
    `INSERT INTO usage_notices (project_id, month, source, level) VALUES ($1, '2026-01-01', 'CAMPAIGN', 80)`,
    `INSERT INTO billing_subscriptions (id, project_id, status, event_at) VALUES ('sub_' || $1, $1::uuid, 'active', now())`,
    `INSERT INTO segment_rechecks (project_id, contact_id) SELECT $1, id FROM contacts WHERE project_id = $1`,
    `INSERT INTO contact_lists (project_id, key, total, contact_ids) VALUES ($1, 'key', 0, '')`,
    `INSERT INTO job_contacts (project_id, job_id, part) SELECT $1, id, 0 FROM jobs WHERE project_id = $1 AND kind = 'BULK'`,
    `INSERT INTO segment_lists (project_id, segment_id, contact_ids) SELECT $1, id, '' FROM segments WHERE project_id = $1`,
  ]) {
    await pool.query(sql, [projectId]);
  }
  const openJobs = jobs.filter(({ state }) => state === 'waiting' || state === 'active');
  return {
    running: [
      `campaign:${campaigns.SCHEDULED}:${states.indexOf('SCHEDULED')}`,
      `campaign:${campaigns.SENDING}:${states.indexOf('SENDING')}`,
      `domain:${id.domain}`,
      `execution:${executions[0]?.id}`,
      ...openJobs.map((job) => `${job.kind.toLowerCase()}:${job.id}`),
      `webhook:${endpointId}`,
    ].sort(),
    contact: id.contact,
    template: id.template,
    segment: id.segment,
    workflow: id.workflow,
    campaigns,
    emails: emails.map((row) => row.id),
    openJobs: openJobs.map((job) => job.id),
  };
}

/** How many rows name the project, by table, for every table that has a project_id. */
export async function rowsOf({ pool }: ApiContext, projectId: string): Promise<Record<string, number>> {
  const tables = await pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.column_name = 'project_id' AND c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables.rows)
    counts[name] = (await pool.query(`SELECT 1 FROM "${name}" WHERE project_id = $1`, [projectId])).rowCount ?? 0;
  return counts;
}
