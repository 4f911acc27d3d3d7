/** Platform mails over SMTP: their content and signature, and that none is lost. */
import { authenticate } from 'mailauth';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { writeRequestedEmails } from '../../src/domain/accounts/emails.js';
import { parse, rawHeader, useDelivery, type Delivery, type ReceivedMail } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';
import { newUser, refusal, request, tokenOf } from '../helpers/session.js';

const FROM = { PLATFORM_FROM: 'Example Mail <accounts@platform.test>', DASHBOARD_URL: 'https://app.example.test' };

/** The first mail that arrives for an address. */
const arrived = ({ sink }: Delivery, email: string): Promise<ReceivedMail> =>
  eventually(() => {
    const [mail] = sink.to(email);
    if (!mail) throw new Error(`Nothing has arrived for ${email}`);
    return mail;
  });

const Records = z.array(z.object({ name: z.string(), value: z.string() }));

/** The result of an independent verifier that finds the expected records of the database's domains in DNS. */
async function dkim({ ctx }: Delivery, mail: ReceivedMail): Promise<string> {
  const domains = await ctx.prisma.domain.findMany();
  const { dkim: found } = await authenticate(mail.raw, {
    ip: '127.0.0.1',
    helo: 'localhost',
    sender: mail.from,
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    resolver: async (name: string) => {
      const record = domains.flatMap(({ records }) => Records.parse(records)).find((one) => one.name === name);
      if (record) return [[record.value]];
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    },
  });
  const [first] = found?.results ?? [];
  return `${String(first?.status.result)} ${String(first?.signingDomain)}`;
}

describe('a mail to a user', () => {
  const delivery = useDelivery({ environment: FROM });
  const post = (url: string, body: unknown) => request(delivery.app, 'POST', url, { body });

  async function resetMail(): Promise<{ email: string; mail: ReceivedMail }> {
    const { email } = await newUser(delivery);
    expect((await post('/auth/request-password-reset', { email })).statusCode).toBe(200);
    return { email, mail: await arrived(delivery, email) };
  }

  it('arrives from PLATFORM_FROM with text, HTML, and a link to the dashboard with a valid token', async () => {
    const { email, mail } = await resetMail();
    const parsed = await parse(mail);
    expect(parsed.from?.value).toEqual([{ address: 'accounts@platform.test', name: 'Example Mail' }]);
    expect([mail.from, parsed.subject]).toEqual(['accounts@platform.test', 'Reset your password']);
    const link = /https:\/\/app\.example\.test\/auth\/reset-password\?token=([0-9a-f]{64})/;
    const [, token = ''] = link.exec(parsed.text ?? '') ?? [];
    expect(parsed.html).toContain(`href="https://app.example.test/auth/reset-password?token=${token}"`);
    for (const part of [parsed.text, String(parsed.html)]) expect(part).toContain(email);
    expect((await post('/auth/reset-password', { token, password: 'from the mail' })).statusCode).toBe(200);
    const login = await post('/auth/login', { email, password: 'from the mail' });
    expect((await request(delivery.app, 'GET', '/users/@me', { token: tokenOf(login) })).json()).toMatchObject({
      email,
      emailVerified: true,
    });
  });

  it('is signed by a platform key, which is created for the domain of PLATFORM_FROM at the first mail', async () => {
    const { mail } = await resetMail();
    expect(await dkim(delivery, mail)).toBe('pass platform.test');
    expect(await delivery.ctx.prisma.domain.count({ where: { domain: 'platform.test' } })).toBe(1);
  });

  it('has headers that prevent automatic replies', async () => {
    expect(rawHeader((await resetMail()).mail, 'Auto-Submitted')).toBe('auto-generated');
  });

  it('has no unsubscribe header and no tracking, and creates no event, statistic, or contact', async () => {
    const { email, mail } = await resetMail();
    for (const name of ['List-Unsubscribe', 'Precedence']) expect(rawHeader(mail, name)).toBeNull();
    expect(String((await parse(mail)).html)).not.toMatch(/<img|\/o\/|\/c\//);
    const row = await eventually(async () => {
      const found = await delivery.ctx.prisma.email.findFirstOrThrow({ where: { toEmail: email } });
      expect(found.status).toBe('SENT');
      return found;
    });
    const { prisma } = delivery.ctx;
    const where = { projectId: row.projectId };
    expect([
      await prisma.event.count({ where }),
      await prisma.statDelta.count({ where }),
      await prisma.contact.count({ where }),
    ]).toEqual([0, 0, 0]);
  });

  it('a verification mail arrives, and its token verifies the address', async () => {
    const user = await newUser(delivery);
    expect((await user.call('POST', '/auth/request-verification')).statusCode).toBe(200);
    const mail = await arrived(delivery, user.email);
    const parsed = await parse(mail);
    expect(parsed.subject).toBe('Verify your email address');
    const [, token = ''] = /\/auth\/verify-email\?token=([0-9a-f]{64})/.exec(parsed.text ?? '') ?? [];
    expect((await post('/auth/verify-email', { token })).statusCode).toBe(200);
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: true });
    expect(refusal(await post('/auth/verify-email', { token }))).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('if the domain of PLATFORM_FROM is verified in a project', () => {
  const delivery = useDelivery({ environment: FROM });

  it("that project's key signs, and no platform key is created", async () => {
    const project = await delivery.project({ domain: 'platform.test' });
    const { email } = await newUser(delivery);
    await request(delivery.app, 'POST', '/auth/request-password-reset', { body: { email } });
    const mail = await arrived(delivery, email);
    expect(rawHeader(mail, 'DKIM-Signature')).toMatch(/\bd=platform\.test;.*\bs=sl;/);
    expect(await delivery.ctx.prisma.domain.findMany({ select: { projectId: true } })).toEqual([
      { projectId: project.id },
    ]);
  });
});

describe('while no worker runs', () => {
  const delivery = useDelivery({ environment: FROM, worker: false });

  it('requested mails wait after a crash at any step, and each is sent once when a worker starts', async () => {
    const [noted, written] = [await newUser(delivery), await newUser(delivery)];
    // One process died between writing the token with its mail and the delivery, the other one before.
    await request(delivery.app, 'POST', '/auth/request-password-reset', { body: { email: written.email } });
    expect(await writeRequestedEmails(delivery.ctx)).toBe(1);
    await request(delivery.app, 'POST', '/auth/request-password-reset', { body: { email: noted.email } });
    expect(delivery.sink.mails).toEqual([]);
    await Promise.all([delivery.worker(), delivery.worker()]);
    await eventually(async () => {
      const statuses = await delivery.ctx.prisma.email.findMany({ select: { status: true } });
      expect(statuses).toEqual([{ status: 'SENT' }, { status: 'SENT' }]);
    });
    expect(delivery.sink.mails.map(({ to }) => to).sort()).toEqual([noted.email, written.email].sort());
    expect(await delivery.ctx.prisma.domain.count({ where: { domain: 'platform.test' } })).toBe(1);
  });
});

describe('without PLATFORM_FROM', () => {
  const delivery = useDelivery({ environment: { PUBLIC_URL: 'https://mail.example.test' } });

  it('the sender is no-reply at the host of PUBLIC_URL', async () => {
    const { email } = await newUser(delivery);
    await request(delivery.app, 'POST', '/auth/request-password-reset', { body: { email } });
    const mail = await arrived(delivery, email);
    expect(mail.from).toBe('no-reply@mail.example.test');
    expect(await dkim(delivery, mail)).toBe('pass mail.example.test');
  });
});
