import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { lockRunningCampaign } from '../../src/domain/campaigns/sql/run.js';
import { insertEmail, insertMessage, type NewEmail } from '../../src/domain/emails/sql/emails.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers } from '../helpers/campaign-api.js';

const api = useApi();
const { draft } = campaignHelpers(api);

async function create(project: TestProject): Promise<{ id: string }> {
  const response = await api.as(project, 'POST', '/contacts', { email: `${newId()}@x.test` });
  expect(response.statusCode).toBe(201);
  return response.json();
}

describe('DELETE /contacts/:id', () => {
  async function emails(project: TestProject, contactId: string, types: Array<NewEmail['type']>): Promise<string[]> {
    const message = {
      id: newId(),
      projectId: project.id,
      type: types[0] ?? 'MARKETING',
      subject: 's',
      body: 'b',
      from: `a@${project.domain}`,
    } as const;
    await insertMessage(api.ctx.pool, message);
    const ids = [];
    for (const type of types) {
      const id = newId();
      await insertEmail(api.ctx.pool, {
        id,
        projectId: project.id,
        messageId: message.id,
        contactId,
        source: 'TRANSACTIONAL',
        type,
        toEmail: 'a@x.test',
      });
      ids.push(id);
    }
    return ids;
  }

  it('permanently deletes a contact: 204 without a body, then 404', async () => {
    const project = await api.project();
    const { id } = await create(project);
    await api.as(project, 'PATCH', `/contacts/${id}`, { subscribed: false });
    const response = await api.as(project, 'DELETE', `/contacts/${id}`);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect((await api.as(project, 'GET', `/contacts/${id}`)).statusCode).toBe(404);
    expect((await api.as(project, 'DELETE', `/contacts/${id}`)).statusCode).toBe(404);
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('cancels pending marketing and headless emails, but not transactional and sent ones', async () => {
    const project = await api.project();
    const contact = await create(project);
    const bystander = await create(project);
    const ids = await emails(project, contact.id, ['MARKETING', 'HEADLESS', 'TRANSACTIONAL', 'MARKETING']);
    const [other] = await emails(project, bystander.id, ['MARKETING']);
    await api.ctx.prisma.email.update({ where: { id: ids[3] ?? '' }, data: { status: 'SENT' } });
    expect((await api.as(project, 'DELETE', `/contacts/${contact.id}`)).statusCode).toBe(204);
    const rows = await api.ctx.prisma.email.findMany({
      where: { projectId: project.id },
      select: { id: true, contactId: true, status: true, error: true },
    });
    const error = 'The contact was deleted.';
    expect(rows.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: ids[0], contactId: null, status: 'CANCELLED', error },
      { id: ids[1], contactId: null, status: 'CANCELLED', error },
      { id: ids[2], contactId: null, status: 'PENDING', error: null },
      { id: ids[3], contactId: null, status: 'SENT', error: null },
      { id: other, contactId: bystander.id, status: 'PENDING', error: null },
    ]);
  });

  it('deletes memberships and executions, and cancels their Temporal workflows', async () => {
    const project = await api.project();
    const { id: contactId } = await create(project);
    const { prisma } = api.ctx;
    const projectId = project.id;
    const segment = await prisma.segment.create({
      data: { id: newId(), projectId, name: 's', slug: 's', type: 'STATIC' },
    });
    await prisma.segmentMember.create({ data: { projectId, segmentId: segment.id, contactId } });
    const workflow = await prisma.workflow.create({ data: { id: newId(), projectId, name: 'w', eventName: 'e' } });
    const waiting = await prisma.workflowExecution.create({
      data: { id: newId(), projectId, workflowId: workflow.id, contactId, status: 'WAITING' },
    });
    const ended = await prisma.workflowExecution.create({
      data: { id: newId(), projectId, workflowId: workflow.id, contactId, status: 'COMPLETED' },
    });
    await api.as(project, 'DELETE', `/contacts/${contactId}`);
    expect([
      await prisma.segmentMember.count({ where: { contactId } }),
      await prisma.workflowExecution.count({ where: { contactId } }),
    ]).toEqual([0, 0]);
    const intents = await prisma.outbox.findMany({
      where: { workflowId: { in: [`execution:${waiting.id}`, `execution:${ended.id}`] } },
      select: { workflowId: true, action: true },
    });
    expect(intents).toEqual([{ workflowId: `execution:${waiting.id}`, action: 'cancel' }]);
  });

  it('retries while a worker has locked an email of the contact and then needs the contact', async () => {
    const project = await api.project();
    const contact = await create(project);
    const [email = ''] = await emails(project, contact.id, ['TRANSACTIONAL']);
    const worker = await api.ctx.pool.connect();
    try {
      await worker.query('BEGIN');
      // PostgreSQL ends the transaction whose timeout expires first; here that would be the worker.
      await worker.query(`SET LOCAL deadlock_timeout = '500ms'`);
      await worker.query(`UPDATE emails SET status = 'SENT' WHERE id = $1`, [email]);
      const deletion = api.as(project, 'DELETE', `/contacts/${contact.id}`);
      const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE emails e%'`;
      await expect.poll(async () => (await api.ctx.pool.query(waits)).rowCount).toBe(1);
      // The deletion has locked the contact, and this transaction needs it: the deletion is retried.
      await worker.query(`SELECT FROM contacts WHERE id = $1 FOR KEY SHARE`, [contact.id]);
      await worker.query('COMMIT');
      expect((await deletion).statusCode).toBe(204);
    } finally {
      worker.release();
    }
    expect(
      await api.ctx.prisma.email.findUnique({ where: { id: email }, select: { status: true, contactId: true } }),
    ).toEqual({ status: 'SENT', contactId: null });
  });

  it('waits for the page of a snapshot that inserts an email to the contact, and cancels the email', async () => {
    const project = await api.project();
    const contact = await create(project);
    const campaignId = await draft(project);
    await api.ctx.prisma.campaign.update({ where: { id: campaignId }, data: { status: 'SENDING', attempt: 1 } });
    const message = { id: newId(), projectId: project.id, type: 'MARKETING', subject: 's', body: 'b' } as const;
    const emailId = newId();
    const { deletion } = await transaction(api.ctx.pool, async (tx) => {
      await lockRunningCampaign(tx, { campaignId, projectId: project.id, attempt: 1 });
      const started = api.as(project, 'DELETE', `/contacts/${contact.id}`);
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(async () => (await api.ctx.pool.query(waits)).rowCount).toBe(1);
      await insertMessage(tx, { ...message, from: `a@${project.domain}` });
      await insertEmail(tx, {
        id: emailId,
        projectId: project.id,
        messageId: message.id,
        contactId: contact.id,
        campaignId,
        source: 'CAMPAIGN',
        type: 'MARKETING',
        toEmail: 'a@x.test',
      });
      // In an object, because the transaction would wait for a promise that it returns.
      return { deletion: started };
    });
    expect((await deletion).statusCode).toBe(204);
    expect(
      await api.ctx.prisma.email.findUnique({ where: { id: emailId }, select: { status: true, contactId: true } }),
    ).toEqual({ status: 'CANCELLED', contactId: null });
  });
});
