/** Delivery events start workflows, with a worker and a mail server. */
import { expect, test } from 'vitest';
import { settleAmbiguous } from '../../src/domain/emails/sql/liveness.js';
import { newId } from '../../src/ids.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { useDelivery } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';
import { triggerHelpers } from '../helpers/triggers.js';

const api = useDelivery();
const { workflow, begun, expectStarted, waiting, pokesOf } = triggerHelpers(() => api.ctx);
const { contact, draft } = campaignHelpers(api);

test('email.sent starts its workflow and pokes waiting executions when the mail server accepts the mail', async () => {
  const project = await api.project();
  const [graph, failed] = [await workflow(project.id, 'email.sent'), await workflow(project.id, 'email.failed')];
  const [ada, bob] = [await contact(project, 'ada@x.test'), await contact(project, 'bob@x.test')];
  const other = await workflow(project.id, 'never');
  const [adas, bobs] = [await waiting(other, ada, 'email.sent'), await waiting(other, bob, 'email.sent')];
  await api.send(project, { to: 'ada@x.test' });
  await eventually(() => expect(api.sink.to('ada@x.test')).toHaveLength(1));
  await eventually(() => expectStarted(graph, 'ada@x.test', {}));
  expect([await pokesOf(adas), await pokesOf(bobs), await begun(failed)]).toEqual([1, 0, []]);
});

test('email.failed starts its workflow when the mail server rejects the email permanently', async () => {
  const project = await api.project();
  const [graph, sent] = [await workflow(project.id, 'email.failed'), await workflow(project.id, 'email.sent')];
  api.sink.answer((to) => (to === 'gone@x.test' ? { code: 550, message: 'no such user' } : null));
  await api.send(project, { to: ['gone@x.test', 'here@x.test'] });
  await eventually(() => expectStarted(graph, 'gone@x.test', { error: '550 no such user' }));
  await eventually(() => expectStarted(sent, 'here@x.test', {}));
  api.sink.answer(null);
});

test('email.failed starts its workflow for an ambiguous mail of a dead worker', async () => {
  const project = await api.project();
  const graph = await workflow(project.id, 'email.failed');
  const contactId = await contact(project, 'lost@x.test');
  const messageId = newId();
  await api.ctx.prisma.message.create({
    data: {
      id: messageId,
      projectId: project.id,
      type: 'TRANSACTIONAL',
      subject: 's',
      body: 'b',
      from: `a@${project.domain}`,
    },
  });
  const [id, claimedBy] = [newId(), newId()];
  await api.ctx.prisma.email.create({
    data: {
      id,
      projectId: project.id,
      messageId,
      contactId,
      source: 'TRANSACTIONAL',
      type: 'TRANSACTIONAL',
      toEmail: 'lost@x.test',
      status: 'SENDING',
      claimedBy,
    },
  });
  await api.ctx.prisma.emailClaim.create({
    data: { id: newId(), workerId: claimedBy, emailIds: [id], claimedAt: new Date(Date.now() - 120_000) },
  });
  await settleAmbiguous(api.ctx.pool, { workerId: newId(), silentSeconds: 20, policy: 'skip' });
  await eventually(() =>
    expectStarted(graph, 'lost@x.test', { ambiguous: true, error: expect.stringMatching(/^The worker crashed/) }),
  );
});

test('a test mail of a campaign starts nothing', async () => {
  const project = await api.project();
  const graph = await workflow(project.id, 'email.sent');
  await contact(project, 'me@x.test');
  const id = await draft(project);
  expect((await api.as(project, 'POST', `/campaigns/${id}/test`, { email: 'me@x.test' })).statusCode).toBe(200);
  await eventually(async () =>
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id, status: 'SENT' } })).toBe(1),
  );
  expect(await begun(graph)).toEqual([]);
});
