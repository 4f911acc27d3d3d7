import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { untilComplete, useDashboard } from '../helpers/dashboard.js';

/** Each of them sets `window.stolen` if a page runs it. */
const SCRIPTS = [
  '<script>window.stolen = 1; parent.stolen = 1</script>',
  '<img src=x onerror="window.stolen = 1; parent.stolen = 1">',
  '<svg onload="window.stolen = 1; parent.stolen = 1"></svg>',
  '"><iframe srcdoc="<script>parent.stolen = 1; top.stolen = 1</script>"></iframe>',
].join('');

describe.skipIf(!hasChromium())('a script that is stored in', () => {
  const dashboard = useDashboard();

  test('a name, a subject, a value, an event, or a template runs on no page', async () => {
    const member = await dashboard.member();
    const { id: projectId } = member.project;
    await dashboard.ctx().prisma.project.update({ where: { id: projectId }, data: { name: SCRIPTS.slice(0, 100) } });
    const email = 'ada@example.test';
    const contact = await member.call<{ id: string }>('POST', '/contacts', { email, data: { note: SCRIPTS } });
    await member.call('POST', '/events/track', { email, event: SCRIPTS.slice(0, 200), data: { note: SCRIPTS } });
    const segment = await member.call<{ id: string }>('POST', '/segments', {
      name: SCRIPTS.slice(0, 80),
      description: SCRIPTS,
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.note', operator: 'equals', value: SCRIPTS }] }] },
    });
    const from = `shop@${member.project.domain}`;
    const template = await member.call<{ id: string }>('POST', '/templates', {
      name: SCRIPTS.slice(0, 80),
      subject: SCRIPTS.slice(0, 200),
      body: `<p>Hello</p>${SCRIPTS}`,
      from,
    });
    await member.call('POST', '/v1/send', { to: email, subject: SCRIPTS.slice(0, 200), body: SCRIPTS, from });
    await member.call('POST', '/suppressions', { email, detail: SCRIPTS });
    const workflow = await member.call<{ id: string }>('POST', '/workflows', {
      name: SCRIPTS.slice(0, 80),
      eventName: SCRIPTS.slice(0, 200),
    });
    await member.call('PUT', `/workflows/${workflow.id}/graph`, {
      steps: [
        { key: 'start', type: 'TRIGGER', name: SCRIPTS.slice(0, 80) },
        {
          key: 'test',
          type: 'CONDITION',
          name: SCRIPTS.slice(0, 80),
          config: {
            mode: 'multi',
            field: 'contact.data.note',
            branches: [{ id: 'one', name: SCRIPTS.slice(0, 80), operator: 'equals', value: SCRIPTS }],
          },
        },
        { key: 'end', type: 'EXIT', name: SCRIPTS.slice(0, 80), config: { reason: SCRIPTS.slice(0, 200) } },
      ],
      transitions: [
        { from: 'start', to: 'test' },
        { from: 'test', to: 'end', branch: 'one' },
      ],
    });
    await member.call('PATCH', `/workflows/${workflow.id}`, { enabled: true });
    const execution = await member.call<{ id: string }>('POST', `/workflows/${workflow.id}/executions`, {
      contactId: contact.id,
      context: { note: SCRIPTS },
    });
    const { data } = await member.call<{ data: Array<{ id: string }> }>('GET', '/emails');
    const pages = [
      '',
      '/activity',
      '/contacts?columns=["note"]',
      `/contacts/${contact.id}`,
      '/segments',
      `/segments/${segment.id}`,
      '/templates',
      `/templates/${template.id}`,
      '/events',
      '/emails',
      `/emails/${data[0]?.id}`,
      '/workflows',
      `/workflows/${workflow.id}?view=list`,
      `/workflows/${workflow.id}?view=graph`,
      `/workflows/${workflow.id}/executions/${execution.id}`,
      '/deliverability',
      '/suppressions',
    ];
    const page = await member.open();
    for (const path of pages) {
      await page.goto(`${dashboard.origin()}/app/projects/${projectId}${path}`);
      await untilComplete(page);
      expect([path, await page.evaluate('window.stolen')]).toEqual([path, undefined]);
    }
  });
});
