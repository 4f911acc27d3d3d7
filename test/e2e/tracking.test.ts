/** The pixel and the links of a sent mail, requested over HTTP as by its reader. */
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';
import type { TestProject } from '../helpers/api.js';
import { parse, useDelivery } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const port = await freePort();
const delivery = useDelivery({ environment: { PUBLIC_URL: `http://${LOOPBACK}:${port}` } });
const { send, email, events } = delivery;

beforeAll(async () => {
  await delivery.app.listen({ host: LOOPBACK, port });
});

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const BODY =
  '<html><body><p>Hello {{ name }}</p><a href="https://shop.test/?n={{ name }}&amp;x=1">Shop</a> <a href="https://shop.test/plain" data-no-track>Plain</a> <a href="mailto:help@shop.test">Help</a></body></html>';

let counter = 0;
/** Sends to a new address and returns the mail. */
async function received(project: TestProject, body: Record<string, unknown> = {}) {
  const to = `reader${counter++}@x.test`;
  const [id = ''] = await send(project, { to, body: BODY, data: { name: 'Ann & Bob' }, ...body });
  return { id, ...(await arrived(to)) };
}

async function arrived(to: string) {
  const mail = await eventually(() => {
    const [first] = delivery.sink.to(to);
    if (!first) throw new Error('Nothing has arrived');
    return first;
  });
  const { html, text } = await parse(mail);
  const page = typeof html === 'string' ? html : '';
  return {
    html: page,
    text: text ?? '',
    pixel: /<img src="([^"]+)" width="1"/.exec(page)?.[1],
    links: [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href),
  };
}

const setMode = (project: TestProject, tracking: 'ENABLED' | 'DISABLED' | 'MARKETING_ONLY') =>
  delivery.ctx.prisma.project.update({ where: { id: project.id }, data: { tracking } });
const isTracked = ({ pixel, links }: { pixel?: string; links: string[] }): boolean =>
  pixel !== undefined && (links[0] ?? '').includes('/c/');

async function template(project: TestProject, type: string): Promise<string> {
  const response = await delivery.as(project, 'POST', '/templates', {
    name: type,
    subject: 's',
    body: BODY,
    from: `team@${project.domain}`,
    type,
  });
  expect(response.statusCode, response.body).toBe(201);
  return response.json<{ id: string }>().id;
}

describe('a tracked mail', () => {
  test('has a pixel and redirects and plain links in its text, and its opens and clicks are recorded', async () => {
    const project = await delivery.project();
    const mail = await received(project);
    expect(mail.links).toEqual([
      expect.stringMatching(new RegExp(`^http://${LOOPBACK}:${port}/c/[\\w-]+$`)),
      'https://shop.test/plain',
      'mailto:help@shop.test',
    ]);
    expect(mail.text).toContain('Shop [https://shop.test/?n=Ann & Bob&x=1]');
    expect(mail.html).not.toContain('data-no-track');
    await eventually(async () => expect((await email(project, mail.id)).status).toBe('SENT'));

    const headers = { 'user-agent': BROWSER };
    const gif = await fetch(mail.pixel ?? '', { headers });
    expect([gif.status, gif.headers.get('content-type'), (await gif.arrayBuffer()).byteLength]).toEqual([
      200,
      'image/gif',
      42,
    ]);
    const redirect = await fetch(mail.links[0] ?? '', { headers, redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      302,
      'https://shop.test/?n=Ann%20&%20Bob&x=1',
    ]);

    await eventually(async () =>
      expect(await email(project, mail.id)).toMatchObject({
        status: 'CLICKED',
        opens: 1,
        clicks: 1,
        machineOpens: 0,
        machineClicks: 0,
      }),
    );
    expect(await events(mail.id)).toEqual(['email.sent', 'email.opened', 'email.clicked']);
  });

  test('counts immediate opens and clicks of a script if only this machine can send requests', async () => {
    const project = await delivery.project();
    const mail = await received(project);
    // Possibly before the worker has recorded the acceptance of the mail.
    await fetch(mail.links[0] ?? '', { redirect: 'manual' });
    await fetch(mail.pixel ?? '');
    await eventually(async () =>
      expect(await email(project, mail.id)).toMatchObject({
        status: 'CLICKED',
        opens: 1,
        clicks: 1,
        machineOpens: 0,
        machineClicks: 0,
      }),
    );
  });

  test('is retried with the same tracking even if the project has changed its settings', async () => {
    const project = await delivery.project();
    const to = 'retried@x.test';
    let refusals = 0;
    delivery.sink.answer((address) => (address === to && refusals++ === 0 ? { code: 451, message: 'later' } : null));
    const [id = ''] = await send(project, { to, body: BODY });
    await eventually(() => expect(delivery.sink.attempts).toContain(to));
    await setMode(project, 'DISABLED');
    expect(isTracked(await arrived(to))).toBe(true);
    expect((await email(project, id)).attempts).toBe(2);
    delivery.sink.answer(null);
  });
});

describe('the tracking mode of the project', () => {
  test.each([
    ['ENABLED', { TRANSACTIONAL: true, MARKETING: true, HEADLESS: true }],
    ['MARKETING_ONLY', { TRANSACTIONAL: false, MARKETING: true, HEADLESS: true }],
    ['DISABLED', { TRANSACTIONAL: false, MARKETING: false, HEADLESS: false }],
  ] as const)('%s', async (mode, expected) => {
    const project = await delivery.project();
    await setMode(project, mode);
    for (const [type, wanted] of Object.entries(expected)) {
      const id = await template(project, type);
      const mail = await received(project, { template: id, body: undefined, subject: undefined, subscribed: true });
      expect(isTracked(mail), type).toBe(wanted);
      if (type === 'MARKETING') expect(mail.links.at(-1)).toContain(`http://${LOOPBACK}:${port}/unsubscribe/`);
      if (!wanted) expect(mail.html).not.toMatch(/\/c\/|\/o\//);
    }
  });

  test('never tracks a test of a campaign', async () => {
    const project = await delivery.project();
    const campaign = await delivery.as(project, 'POST', '/campaigns', {
      name: 'n',
      subject: 's',
      body: BODY,
      from: `news@${project.domain}`,
      audienceType: 'ALL',
    });
    const { id } = campaign.json<{ data: { id: string } }>().data;
    expect((await delivery.as(project, 'POST', `/campaigns/${id}/test`, { email: 'tester@x.test' })).statusCode).toBe(
      200,
    );
    expect((await arrived('tester@x.test')).html).not.toMatch(/\/c\/|\/o\//);
  });
});
