/** A suppression belongs to the address and not to its contact: what lifts it, and what does not. */
import { describe, expect, test } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { about, feedbackHelpers, type SentEmail } from '../helpers/feedback.js';

const api = useApi();
const { contact } = campaignHelpers(api);
const { sent, apply } = feedbackHelpers(api);

const suppress = async (project: TestProject, email: string): Promise<void> => {
  expect((await api.as(project, 'POST', '/suppressions', { email })).statusCode).toBe(201);
};

describe('the address stays suppressed', () => {
  /** Creates an email that got a complaint or bounced permanently. */
  async function left(
    kind: 'complained' | 'bounced' = 'complained',
  ): Promise<{ project: TestProject; email: SentEmail & { contactId: string } }> {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email?.contactId) throw new Error('unreachable');
    await apply(
      about(email.id, {
        ...(kind === 'bounced' ? { kind, bounceType: 'permanent', reason: null } : { kind, reason: null }),
        at: new Date(),
      }),
    );
    await api.ctx.prisma.campaign.updateMany({ where: { projectId: project.id }, data: { status: 'SENT' } });
    return { project, email: { ...email, contactId: email.contactId } };
  }
  const reached = async (project: TestProject): Promise<number> =>
    (await api.as(project, 'POST', '/campaigns/audience', { audienceType: 'ALL' })).json<{ willSend: number }>()
      .willSend;

  test('when the contact is deleted and re-created', async () => {
    const { project, email } = await left();
    expect((await api.as(project, 'DELETE', `/contacts/${email.contactId}`)).statusCode).toBe(204);
    expect(
      (await api.as(project, 'POST', '/contacts', { email: email.address, subscribed: true })).json(),
    ).toMatchObject({ subscribed: true });
    expect(await reached(project)).toBe(0);
  });

  test.each<[string, (project: TestProject, email: SentEmail) => Promise<unknown>]>([
    [
      'PATCH /contacts/:id',
      (project, { contactId }) => api.as(project, 'PATCH', `/contacts/${contactId}`, { subscribed: true }),
    ],
    [
      'POST /contacts',
      (project, { address }) => api.as(project, 'POST', '/contacts', { email: address, subscribed: true }),
    ],
    [
      'POST /v1/send',
      (project, { address }) =>
        api.as(project, 'POST', '/v1/send', {
          to: address,
          from: `a@${project.domain}`,
          subject: 's',
          body: 'b',
          subscribed: true,
        }),
    ],
    [
      'POST /v1/track',
      (project, { address }) =>
        api.as(
          project,
          'POST',
          '/v1/track',
          { email: address, event: 'e', subscribed: true },
          { authorization: `Bearer ${project.public}` },
        ),
    ],
  ])('when the project subscribes its contact again by %s', async (_what, subscribe) => {
    const { project, email } = await left();
    await subscribe(project, email);
    expect((await api.as(project, 'GET', `/contacts/${email.contactId}`)).json()).toMatchObject({ subscribed: true });
    expect(await reached(project)).toBe(0);
  });

  test('when another contact gets the address', async () => {
    const { project, email } = await left();
    await api.as(project, 'DELETE', `/contacts/${email.contactId}`);
    const other = await contact(project, 'other@x.test');
    expect((await api.as(project, 'PATCH', `/contacts/${other}`, { email: email.address })).statusCode).toBe(200);
    expect(await reached(project)).toBe(0);
  });

  describe('but its reader can resubscribe through the link of an email to it', () => {
    const post = (url: string, payload = '') =>
      api.app.inject({
        method: 'POST',
        url: new URL(url).pathname,
        payload,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });

    test.each(['complained', 'bounced'] as const)('after it has %s', async (kind) => {
      const { project, email } = await left(kind);
      expect((await post(api.ctx.links.subscribeUrl(email.contactId, email.id))).statusCode).toBe(200);
      expect((await api.as(project, 'GET', '/suppressions')).json()).toMatchObject({ total: 0 });
      expect(await reached(project)).toBe(1);
    });

    test('also through the preferences, and if the project had already subscribed the contact', async () => {
      const { project, email } = await left();
      await api.as(project, 'PATCH', `/contacts/${email.contactId}`, { subscribed: true });
      expect((await post(api.ctx.links.manageUrl(email.contactId, email.id), 'action=subscribe')).statusCode).toBe(200);
      expect(await reached(project)).toBe(1);
    });

    test('viewing the pages, unsubscribing, and a break lift nothing', async () => {
      const { project, email } = await left();
      await api.as(project, 'PATCH', `/contacts/${email.contactId}`, { subscribed: true });
      const { subscribeUrl, manageUrl, unsubscribeUrl } = api.ctx.links;
      for (const url of [subscribeUrl, manageUrl, unsubscribeUrl])
        await api.app.inject(new URL(url(email.contactId, email.id)).pathname);
      await post(manageUrl(email.contactId, email.id), 'action=snooze-30');
      await post(unsubscribeUrl(email.contactId, email.id));
      expect((await api.as(project, 'GET', '/suppressions')).json()).toMatchObject({ total: 1 });
    });

    test('a manual suppression by the project stays', async () => {
      const project = await api.project();
      const [email] = await sent(project, 1);
      if (!email?.contactId) throw new Error('unreachable');
      await suppress(project, email.address);
      expect((await post(api.ctx.links.subscribeUrl(email.contactId, email.id))).statusCode).toBe(200);
      expect((await api.as(project, 'GET', `/suppressions/${email.address}`)).json()).toMatchObject({
        reason: 'manual',
      });
    });

    test('not through a link of an email to another address, nor through one that names no email', async () => {
      const { project, email } = await left();
      // The link is in an email to the old address. Its reader may not be the person who reported the email to the new
      // address as spam.
      await api.ctx.prisma.suppression.updateMany({ where: { projectId: project.id }, data: { email: 'new@x.test' } });
      await api.as(project, 'PATCH', `/contacts/${email.contactId}`, { email: 'new@x.test' });
      await post(api.ctx.links.subscribeUrl(email.contactId, email.id));
      await post(api.ctx.links.subscribeUrl(email.contactId));
      expect((await api.as(project, 'GET', '/suppressions/new@x.test')).json()).toMatchObject({ reason: 'complaint' });
      expect(await reached(project)).toBe(0);
    });
  });
});
