/** SEND_EMAIL: queued, skipped, and failed emails, and the variables of the template. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import { newId } from '../../src/ids.js';
import { sendDue } from '../helpers/send-due.js';
import type { TestProject } from '../helpers/project.js';
import { useStepper, type Begun } from '../helpers/executions.js';
import {
  emailsOf,
  executionRow,
  exit,
  historyOf,
  insertContact,
  insertTemplate,
  pathOf,
  sendTemplate,
  startByEvent,
  type GraphSpec,
  type TemplateSpec,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stepper = useStepper();
let project: TestProject;

beforeEach(async () => {
  // Emails that other tests have queued must not be delivered.
  await stepper.ctx.prisma.email.deleteMany();
  project = await stepper.project();
});

const sending = (templateId: string, customEmail?: string): GraphSpec => ({
  steps: {
    hello: sendTemplate(templateId, customEmail === undefined ? undefined : { type: 'CUSTOM', customEmail }),
    bye: exit('done'),
  },
  edges: ['TRIGGER > hello', 'hello > bye'],
});

async function send(
  template: TemplateSpec,
  options: {
    contact?: { email?: string; subscribed?: boolean; data?: Record<string, unknown> };
    data?: Record<string, unknown>;
    customEmail?: string;
  } = {},
): Promise<Begun> {
  const templateId = await insertTemplate(stepper.ctx, project, template);
  const begun = await stepper.begin(sending(templateId, options.customEmail), {
    project,
    contact: options.contact,
    data: options.data,
  });
  await stepper.advance(begun);
  return begun;
}

const text = (raw: Buffer | undefined): string =>
  (raw?.toString() ?? '').replaceAll(/=\r\n/g, '').replaceAll('=20', ' ').replaceAll('=3D', '=');

test('a template is sent to the contact once, with the step in the history', async () => {
  const { executionId, contactId } = await send({}, { contact: { email: 'ada@inbox.test' } });
  const [email, ...more] = await emailsOf(stepper.ctx, executionId);
  expect(more).toEqual([]);
  const [, step] = await historyOf(stepper.ctx, executionId);
  expect(email).toMatchObject({
    toEmail: 'ada@inbox.test',
    contactId,
    source: 'WORKFLOW',
    type: 'TRANSACTIONAL',
    status: 'PENDING',
    stepExecutionId: step?.id,
  });
  expect(step).toMatchObject({
    status: 'COMPLETED',
    error: null,
    output: { summary: 'Sent the template "Welcome".', emailId: email?.id, templateId: email?.templateId },
  });
  expect(await executionRow(stepper.ctx, executionId)).toMatchObject({ status: 'EXITED', exitReason: 'done' });
});

test('an email carries the preheader of its template, with the variables of the contact', async () => {
  const templateId = await insertTemplate(stepper.ctx, project, { body: '<p>Read on</p>' });
  await stepper.ctx.prisma.template.update({
    where: { id: templateId },
    data: { preheader: 'For {{ firstName }} and {{ plan }}' },
  });
  const begun = await stepper.begin(sending(templateId), {
    project,
    contact: { data: { firstName: 'Ada' } },
    data: { plan: 'pro' },
  });
  await stepper.advance(begun);
  const [mail] = await sendDue(stepper.ctx);
  expect(text(mail?.raw)).toMatch(/<div data-preheader[^>]*>For Ada and pro/);
});

test('the template has the same contact.* and workflow.* as a CONDITION', async () => {
  const names = '{{ contact.email }} {{ contact.id }} {{ contact.data.plan }} {{ workflow.plan }}';
  const { contactId } = await send(
    { subject: names },
    { contact: { email: 'ada@inbox.test', data: { plan: 'free' } }, data: { plan: 'pro' } },
  );
  expect(text((await sendDue(stepper.ctx))[0]?.raw)).toContain(`Subject: ada@inbox.test ${contactId} free pro`);
  const about = await send(
    { subject: names },
    {
      contact: { email: 'bob@inbox.test', data: { plan: 'free' } },
      data: { plan: 'pro' },
      customEmail: 'boss@inbox.test',
    },
  );
  expect(text((await sendDue(stepper.ctx))[0]?.raw)).toContain(`Subject: bob@inbox.test ${about.contactId} free pro`);
});

test('the template has the contact and the context, also under event., and the context takes precedence', async () => {
  const { executionId } = await send(
    {
      subject: '{{ email }} {{ plan }} {{ event.plan }} {{ event.order.total }} {{ firstName }} {{ data.firstName }}',
      body: '<p>{{ id }} {{ missing ?? nothing }}</p>',
    },
    {
      contact: { email: 'ada@inbox.test', data: { firstName: 'Ada', plan: 'free' } },
      data: { plan: 'pro', order: { total: 5 } },
    },
  );
  const mails = await sendDue(stepper.ctx);
  const mail = mails.find(({ to }) => to === 'ada@inbox.test');
  expect(text(mail?.raw)).toContain('Subject: ada@inbox.test pro pro 5 Ada Ada');
  expect(text(mail?.raw)).toContain(`<p>${(await executionRow(stepper.ctx, executionId)).contactId} nothing</p>`);
});

describe('a contact who is not subscribed', () => {
  test.each(['MARKETING', 'HEADLESS'] as const)(
    'is not sent a %s template: the step is skipped with a reason, and the flow continues',
    async (type) => {
      const { executionId } = await send({ type }, { contact: { subscribed: false } });
      expect(await emailsOf(stepper.ctx, executionId)).toEqual([]);
      expect(await pathOf(stepper.ctx, executionId)).toBe('TRIGGER COMPLETED, hello SKIPPED, bye COMPLETED');
      const [, step] = await historyOf(stepper.ctx, executionId);
      expect(step).toMatchObject({
        summary: `Not sent: the recipient is not subscribed, and the template "Welcome" is ${type}.`,
        error: null,
      });
      expect(await executionRow(stepper.ctx, executionId)).toMatchObject({ status: 'EXITED' });
    },
  );

  test('is sent a TRANSACTIONAL template', async () => {
    const { executionId } = await send({ type: 'TRANSACTIONAL' }, { contact: { subscribed: false } });
    expect(await emailsOf(stepper.ctx, executionId)).toHaveLength(1);
  });

  test.each(['MARKETING', 'HEADLESS'] as const)('does not get a %s email that was queued before', async (type) => {
    const { executionId, contactId } = await send({ type });
    await stepper.ctx.prisma.contact.update({ where: { id: contactId }, data: { subscribed: false } });
    const mails = await sendDue(stepper.ctx);
    const [email] = await emailsOf(stepper.ctx, executionId);
    expect(email).toMatchObject({
      status: 'CANCELLED',
      error: 'The contact unsubscribed before this email was handed over.',
    });
    expect(mails).toEqual([]);
  });

  test('gets a TRANSACTIONAL email that was queued before', async () => {
    const { executionId, contactId } = await send({ type: 'TRANSACTIONAL' });
    await stepper.ctx.prisma.contact.update({ where: { id: contactId }, data: { subscribed: false } });
    await sendDue(stepper.ctx);
    const [email] = await emailsOf(stepper.ctx, executionId);
    expect(email).toMatchObject({ status: 'SENT' });
  });
});

test('two workflows that send the same template have their own Feedback-ID, and one List-ID', async () => {
  const templateId = await insertTemplate(stepper.ctx, project, { type: 'HEADLESS' });
  const workflows: string[] = [];
  for (const email of ['one@inbox.test', 'two@inbox.test']) {
    const begun = await stepper.begin(sending(templateId), { project, contact: { email } });
    await stepper.advance(begun);
    workflows.push(begun.graph.id);
  }
  expect(await stepper.ctx.prisma.message.count({ where: { templateId } })).toBe(1);
  const mails = await sendDue(stepper.ctx);
  for (const [index, to] of ['one@inbox.test', 'two@inbox.test'].entries()) {
    const raw = mails
      .find((mail) => mail.to === to)
      ?.raw.toString()
      .replace(/\r\n /g, ' ');
    expect(raw).toContain(`\r\nFeedback-ID: ${workflows[index]}:${project.id}:headless:sendloom\r\n`);
    expect(raw).toMatch(new RegExp(`\r\nList-ID: [^\r]*<workflows\\.${project.id}\\.[a-z.]+>\r\n`));
  }
});

describe('a CUSTOM recipient', () => {
  const about = { contact: { email: 'lead@inbox.test', data: { plan: 'pro' } }, data: { amount: 7 } };

  test("gets an email with the contact's address and data in the template", async () => {
    const { executionId, contactId } = await send(
      { subject: 'New: {{ email }} {{ plan }} {{ event.amount }}', body: '<p>{{ id }} {{ data.plan }}</p>' },
      { ...about, customEmail: 'Sales@Inbox.test' },
    );
    const [email] = await emailsOf(stepper.ctx, executionId);
    expect(email).toMatchObject({ toEmail: 'sales@inbox.test', contactId: null, status: 'PENDING' });
    const mails = await sendDue(stepper.ctx);
    const mail = mails.find(({ to }) => to === 'sales@inbox.test');
    expect(text(mail?.raw)).toContain('Subject: New: lead@inbox.test pro 7');
    expect(text(mail?.raw)).toContain(`<p>${contactId} pro</p>`);
    expect(text(mail?.raw)).toContain('To: sales@inbox.test');
  });

  test('gets a MARKETING template even if the contact is not subscribed', async () => {
    const { executionId } = await send(
      { type: 'MARKETING' },
      { ...about, contact: { email: 'gone@inbox.test', subscribed: false }, customEmail: 'sales@inbox.test' },
    );
    await sendDue(stepper.ctx);
    const [email] = await emailsOf(stepper.ctx, executionId);
    expect(email).toMatchObject({ status: 'SENT' });
  });

  test('that is an unsubscribed contact gets no MARKETING template', async () => {
    await insertContact(stepper.ctx, project.id, { email: 'sales@inbox.test', subscribed: false });
    const { executionId } = await send({ type: 'MARKETING' }, { ...about, customEmail: 'sales@inbox.test' });
    expect(await emailsOf(stepper.ctx, executionId)).toEqual([]);
    expect(await pathOf(stepper.ctx, executionId)).toBe('TRIGGER COMPLETED, hello SKIPPED, bye COMPLETED');
  });

  test('that is not a contact gets the unsubscribe page also for manageUrl, and no link in TRANSACTIONAL email', async () => {
    const body = '<p>{{{ manageUrl }}}|{{{ unsubscribeUrl }}}|{{{ subscribeUrl }}}</p>';
    const links: string[][] = [];
    for (const [type, customEmail] of [
      ['HEADLESS', 'office@inbox.test'],
      ['TRANSACTIONAL', 'desk@inbox.test'],
    ] as const) {
      await send({ type, body }, { ...about, contact: { email: `${type}@inbox.test` }, customEmail });
      const raw = text((await sendDue(stepper.ctx)).find(({ to }) => to === customEmail)?.raw);
      expect(raw.includes('\r\nList-Unsubscribe: ')).toBe(type === 'HEADLESS');
      links.push(/<p>(.*)<\/p>/.exec(raw)?.[1]?.split('|') ?? []);
    }
    const { PUBLIC_URL } = stepper.ctx.config;
    const [[manage = '', unsubscribe, subscribe] = [], transactional] = links;
    expect(stepper.ctx.links.verifyAddress(manage.split('/').at(-1) ?? '')).toMatchObject({
      projectId: project.id,
      address: 'office@inbox.test',
    });
    expect([unsubscribe, subscribe, transactional]).toEqual([manage, PUBLIC_URL, Array(3).fill(PUBLIC_URL)]);
  });

  test('that is a contact can unsubscribe through the email and gets no further email', async () => {
    const sales = await insertContact(stepper.ctx, project.id, { email: 'sales@inbox.test' });
    const { executionId } = await send(
      { type: 'MARKETING', body: '<p>Hi</p>' },
      { ...about, customEmail: 'sales@inbox.test' },
    );
    const [email] = await emailsOf(stepper.ctx, executionId);
    const mails = await sendDue(stepper.ctx);
    expect(text(mails[0]?.raw)).toContain(
      `List-Unsubscribe: <${stepper.ctx.links.oneClickUrl(sales, email?.id ?? '')}>`,
    );

    const second = await send(
      { type: 'MARKETING' },
      { contact: { email: 'other@inbox.test' }, customEmail: 'sales@inbox.test' },
    );
    await stepper.ctx.prisma.contact.update({ where: { id: sales }, data: { subscribed: false } });
    await sendDue(stepper.ctx);
    expect((await emailsOf(stepper.ctx, second.executionId))[0]).toMatchObject({
      status: 'CANCELLED',
    });
  });
});

describe('the execution fails with the reason', () => {
  test('if the sender domain is not verified at that time', async () => {
    await stepper.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    const { executionId } = await send({});
    const reason = `Not sent: the sender domain ${project.domain} is not verified.`;
    expect(await executionRow(stepper.ctx, executionId)).toMatchObject({
      status: 'FAILED',
      exitReason: reason,
      stepExecutionId: null,
    });
    expect((await historyOf(stepper.ctx, executionId)).at(-1)).toMatchObject({
      step: 'hello',
      status: 'FAILED',
      error: reason,
      summary: reason,
    });
    expect(await emailsOf(stepper.ctx, executionId)).toEqual([]);
  });

  test('if only a parent of the sender domain is verified', async () => {
    const { executionId } = await send({ from: `news@mail.${project.domain}` });
    expect(await executionRow(stepper.ctx, executionId)).toMatchObject({ status: 'FAILED' });
  });

  test('if the template has become an incomplete draft', async () => {
    const templateId = await insertTemplate(stepper.ctx, project, {});
    const begun = await stepper.begin(sending(templateId), { project });
    const { name } = await stepper.ctx.prisma.template.update({
      where: { id: templateId },
      data: { subject: null, draft: true, incomplete: true },
    });
    await stepper.advance(begun);
    expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({
      status: 'FAILED',
      exitReason: `Not sent: the template "${name}" is an incomplete draft.`,
    });
    expect(await emailsOf(stepper.ctx, begun.executionId)).toEqual([]);
  });

  test.each(['00000000-0000-7000-8000-000000000000', 'not-an-id'])(
    'if the template does not exist: %s',
    async (templateId) => {
      const begun = await stepper.begin(
        { steps: { hello: { type: 'SEND_EMAIL', config: { templateId } } }, edges: ['TRIGGER > hello'] },
        { project },
      );
      await stepper.advance(begun);
      expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({
        status: 'FAILED',
        exitReason: 'Not sent: the template no longer exists.',
      });
    },
  );

  test('if the template belongs to another project', async () => {
    const other = await stepper.project();
    const foreign = await insertTemplate(stepper.ctx, other);
    const begun = await stepper.begin(
      { steps: { hello: { type: 'SEND_EMAIL', config: { templateId: foreign } } }, edges: ['TRIGGER > hello'] },
      { project },
    );
    await stepper.advance(begun);
    expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({ status: 'FAILED' });
    expect(await stepper.ctx.prisma.email.count({ where: { projectId: { in: [project.id, other.id] } } })).toBe(0);
  });
});

describe('the content', () => {
  test('of one version of a template is stored once, even if many emails are sent concurrently', async () => {
    const templateId = await insertTemplate(stepper.ctx, project);
    const first = await stepper.begin(sending(templateId), { project });
    const begun = [first.executionId];
    for (let n = 0; n < 9; n++)
      begun.push(await startByEvent(stepper.ctx, first.graph, await insertContact(stepper.ctx, project.id)));
    // All send the first email of the version: one inserts the message, and the others read it or retry.
    await Promise.all(begun.map((executionId) => stepper.advance({ projectId: project.id, executionId })));
    const emails = await stepper.ctx.prisma.email.findMany({ where: { executionId: { in: begun } } });
    expect(emails).toHaveLength(10);
    expect(new Set(emails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await stepper.ctx.prisma.message.count({ where: { templateId } })).toBe(1);
  });

  test('is read when the step is reached: a later change applies to later emails', async () => {
    const templateId = await insertTemplate(stepper.ctx, project, { subject: 'Old' });
    const first = await stepper.begin(sending(templateId), { project });
    await stepper.advance(first);
    await stepper.ctx.prisma.template.update({
      where: { id: templateId },
      data: { subject: 'New', version: { increment: 1 } },
    });
    const second = await startByEvent(stepper.ctx, first.graph, await insertContact(stepper.ctx, project.id));
    await stepper.advance({ projectId: project.id, executionId: second });
    const mails = await sendDue(stepper.ctx);
    expect(new Set(mails.map(({ raw }) => /Subject: (\w+)/.exec(raw.toString())?.[1]))).toEqual(
      new Set(['New', 'Old']),
    );
  });
});

describe('a send window', () => {
  const HOUR = 3_600_000;
  const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);
  /** Opens in `hours` for an hour, every day. */
  const opensIn = (hours: number, timezone = 'UTC') => ({
    timezone,
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    from: timeOf(Date.now() + hours * HOUR),
    until: timeOf(Date.now() + (hours + 1) * HOUR),
  });
  const minute = (at: number): string => new Date(Math.floor(at / 60_000) * 60_000).toISOString();

  /** The last email. */
  let emailId = '';
  const sendWith = async (template: TemplateSpec, sendWindow: unknown, data: Record<string, unknown> = {}) => {
    const templateId = await insertTemplate(stepper.ctx, project, template);
    const step = sendTemplate(templateId);
    const graph = sending(templateId);
    if (sendWindow !== undefined) graph.steps.hello = { ...step, config: { ...step.config, sendWindow } };
    const { executionId } = await stepper.begin(graph, { project, contact: { data } }).then(async (begun) => {
      await stepper.advance(begun);
      return begun;
    });
    expect(await executionRow(stepper.ctx, executionId)).toMatchObject({ status: 'EXITED' });
    const [email] = await emailsOf(stepper.ctx, executionId);
    emailId = email?.id ?? '';
    return { status: email?.status, due: email?.scheduledFor?.toISOString() ?? null };
  };

  test('of the step holds the email until it opens, in the time zone of the recipient or a fixed one', async () => {
    const due = minute(Date.now() + 3 * HOUR);
    expect(await sendWith({}, opensIn(3))).toEqual({ status: 'SCHEDULED', due });
    expect(await sendWith({}, opensIn(0))).toEqual({ status: 'PENDING', due: null });
    const inBerlin = await sendWith({}, opensIn(3, 'Europe/Berlin'), { timezone: 'Asia/Tokyo' });
    expect(inBerlin.due?.slice(14)).toBe(due.slice(14));
    expect(inBerlin.due).not.toBe(due);
    // It is 9 hours later in Tokyo, so what opens there in 12 hours of UTC opens in 3.
    expect(await sendWith({}, opensIn(12, 'recipient'), { timezone: 'asia/tokyo' })).toEqual({
      status: 'SCHEDULED',
      due,
    });
    expect(await sendWith({}, opensIn(3, 'recipient'), { timezone: 'foo+3' })).toEqual({ status: 'SCHEDULED', due });
  });

  test('of the project holds bulk email, and that of the step comes first', async () => {
    await stepper.ctx.prisma.project.update({ where: { id: project.id }, data: { sendWindow: opensIn(3) } });
    const due = minute(Date.now() + 3 * HOUR);
    expect(await sendWith({ type: 'MARKETING' }, undefined)).toEqual({ status: 'SCHEDULED', due });
    expect(await sendWith({ type: 'TRANSACTIONAL' }, undefined)).toEqual({ status: 'PENDING', due: null });
    expect(await sendWith({ type: 'MARKETING' }, opensIn(0))).toEqual({ status: 'PENDING', due: null });
  });

  test('holds retries, too', async () => {
    const retriedAfter = async (retryMs: number): Promise<number> => {
      const workerId = newId();
      const { pool, prisma } = stepper.ctx;
      const refused = { status: 'PENDING' as const, error: '451 later', response: '451 later', retryMs };
      await pool.query(`UPDATE emails SET status = 'SENDING', claimed_by = $2, attempts = 1 WHERE id = $1`, [
        emailId,
        workerId,
      ]);
      expect(await settle(pool, workerId, [{ id: emailId, ...refused }])).toEqual([emailId]);
      return (await prisma.email.findUniqueOrThrow({ where: { id: emailId } })).nextAttemptAt.getTime();
    };
    await sendWith({}, opensIn(0));
    expect(await retriedAfter(60_000)).toBeLessThan(Date.now() + 2 * 60_000);
    const tomorrow = Date.parse(minute(Date.now() + 24 * HOUR));
    expect(Math.abs((await retriedAfter(2 * HOUR)) - tomorrow)).toBeLessThanOrEqual(60_000);
    await sendWith({}, undefined);
    expect(Math.abs((await retriedAfter(2 * HOUR)) - Date.now() - 2 * HOUR)).toBeLessThan(60_000);
    await stepper.ctx.pool.query(
      `UPDATE emails SET status = 'CANCELLED' WHERE project_id = $1 AND status = 'PENDING'`,
      [project.id],
    );
  });
});
