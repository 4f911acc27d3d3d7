import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { refusal } from '../helpers/session.js';

const api = useApi();

describe('GET /emails/:id', () => {
  it('returns one email with its status, times, source, and error; fields without a value are null', async () => {
    const project = await api.project();
    const [entry] = (
      await api.as(project, 'POST', '/v1/send', {
        to: { email: 'ada@x.test', name: 'Ada' },
        from: { email: `team@${project.domain}`, name: 'Team' },
        subject: 'Hi {{ name }}',
        body: 'b',
        reply: 'help@x.test',
      })
    ).json().data.emails;
    const response = await api.as(project, 'GET', `/emails/${entry.email}`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toStrictEqual({
      id: entry.email,
      status: 'PENDING',
      statusDetail: null,
      source: 'TRANSACTIONAL',
      type: 'TRANSACTIONAL',
      to: 'ada@x.test',
      toName: 'Ada',
      cc: [],
      copyOf: null,
      copies: [],
      from: `team@${project.domain}`,
      fromName: 'Team',
      replyTo: 'help@x.test',
      subject: 'Hi',
      messageId: `<${entry.email}@${project.domain}>`,
      contactId: entry.contact.id,
      campaignId: null,
      templateId: null,
      workflowId: null,
      executionId: null,
      attempts: 0,
      nextAttemptAt: expect.stringMatching(/Z$/),
      ambiguous: false,
      error: null,
      scheduledFor: null,
      group: null,
      tags: [],
      variant: null,
      response: null,
      opens: 0,
      clicks: 0,
      machineOpens: 0,
      machineClicks: 0,
      bounceType: null,
      bounceReason: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      sentAt: null,
      deliveredAt: null,
      openedAt: null,
      clickedAt: null,
      bouncedAt: null,
      complainedAt: null,
    });
  });

  it("returns the same 404 EMAIL_NOT_FOUND for a malformed, an unknown, and another project's id", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const foreign = (
      await api.as(other, 'POST', '/v1/send', {
        to: 'ada@x.test',
        from: `team@${other.domain}`,
        subject: 's',
        body: 'b',
      })
    ).json().data.emails[0].email;
    const bodies = await Promise.all(
      ['nonsense', newId(), foreign].map((id) => api.as(project, 'GET', `/emails/${id}`)),
    );
    for (const response of bodies) expect(refusal(response)).toEqual([404, 'EMAIL_NOT_FOUND']);
    expect(new Set(bodies.map((response) => response.json().error.message)).size).toBe(1);
  });

  it('accepts only the secret key', async () => {
    const project = await api.project();
    expect(refusal(await api.as({ ...project, secret: project.public }, 'GET', `/emails/${newId()}`))).toEqual([
      401,
      'INVALID_API_KEY',
    ]);
  });
});

it('moving or canceling an email that was sent returns 409 with its status in the details', async () => {
  const project = await api.project();
  const sent = { to: 'ada@x.test', from: `team@${project.domain}`, subject: 's', body: 'b' };
  const id = (await api.as(project, 'POST', '/v1/send', sent)).json().data.emails[0].email;
  await api.ctx.prisma.email.update({ where: { id }, data: { status: 'SENT' } });
  const replies = [
    await api.as(project, 'PATCH', `/emails/${id}`, { scheduledFor: new Date(Date.now() + 60_000).toISOString() }),
    await api.as(project, 'POST', `/emails/${id}/cancel`),
  ];
  for (const reply of replies)
    expect(reply.json().error).toMatchObject({ statusCode: 409, details: { status: 'SENT' } });
});
