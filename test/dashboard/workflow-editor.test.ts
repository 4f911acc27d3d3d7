import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';

interface Workflow {
  id: string;
  name: string;
  steps: Array<{ id: string; type: string; name: string; config: Record<string, unknown>; templateId: string | null }>;
  transitions: Array<{ fromStepId: string; toStepId: string; branch: string | null }>;
}

/** Collects the ids of the steps whose elements change from now on. */
const RECORD_CHANGED_STEPS = `
  window.changedSteps = new Set();
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const id = target.closest?.('.react-flow__node')?.dataset.id;
      if (id) window.changedSteps.add(id);
    }
  }).observe(document.querySelector('.react-flow__nodes'), { subtree: true, attributes: true, childList: true });
`;

describe.skipIf(!hasChromium())('editing a workflow', () => {
  const dashboard = useDashboard();

  const create = (member: Member): Promise<Workflow> =>
    member.call('POST', '/workflows', { name: 'Onboarding', eventName: 'signup' });
  const read = (member: Member, id: string): Promise<Workflow> => member.call('GET', `/workflows/${id}`);
  const shapeOf = ({ steps, transitions }: Workflow): string[] => {
    const names = new Map(steps.map(({ id, name }) => [id, name]));
    return transitions
      .map(
        ({ fromStepId, toStepId, branch }) =>
          `${names.get(fromStepId)}${branch === null ? '' : ` (${branch})`} > ${names.get(toStepId)}`,
      )
      .toSorted();
  };

  test('a workflow is drawn in the list by keyboard alone, with undo and redo, and saved', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/templates', {
      name: 'Welcome',
      subject: 'Hello',
      body: '<p>Hello</p>',
      from: `hi@${member.project.domain}`,
      type: 'MARKETING',
    });
    const { id } = await create(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`);
    const add = async (place: string, type: string): Promise<void> => {
      await page.getByRole('button', { name: `Add a step: ${place}` }).press('Enter');
      await page.getByRole('menuitem', { name: type }).press('Enter');
    };
    await add('after Trigger', 'Send an email');
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("name")')).toBe('name');
    await page.getByLabel('Template', { exact: true }).pressSequentially('Wel');
    await page.getByRole('option', { name: 'Welcome' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await add('after Send an email', 'Wait for an event');
    await page.getByLabel('Event', { exact: true }).fill('purchase');
    await page.getByRole('checkbox', { name: 'Stop waiting after a time' }).press('Space');
    await add('after Wait for an event, time is up', 'Update the contact');
    await page.getByRole('button', { name: 'Add a field' }).press('Enter');
    await page.getByLabel('Field 1: name').fill('cold');
    await page.getByLabel('Field 1: value').fill('true');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByText('No problem found.').waitFor();
    await takePicture(page, 'workflow-editor-list');

    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.getByLabel('Field 1: name').count()).toBe(0);
    await page.keyboard.press('Control+Shift+z');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => page.getByLabel('Field 1: value').inputValue()).toBe('true');

    await page.keyboard.press('Control+s');
    await page.getByText('All changes are saved').waitFor();
    const saved = await read(member, id);
    expect(shapeOf(saved)).toEqual([
      'Send an email > Wait for an event',
      'Trigger > Send an email',
      'Wait for an event (timeout) > Update the contact',
    ]);
    expect(saved.steps.find(({ type }) => type === 'UPDATE_CONTACT')?.config).toMatchObject({
      updates: { cold: true },
    });
    expect(saved.steps.find(({ type }) => type === 'WAIT_FOR_EVENT')?.config).toMatchObject({
      eventName: 'purchase',
      timeout: 86_400,
    });
    await page.reload();
    await page.getByRole('button', { name: /^Update the contact/ }).waitFor();
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
  });

  test('problems lead to their fields, and a step inserted and removed leaves the connection', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`, { colorScheme: 'dark' });
    const add = async (place: string, type: string): Promise<void> => {
      await page.getByRole('button', { name: `Add a step: ${place}` }).click();
      await page.getByRole('menuitem', { name: type }).click();
    };
    await add('after Trigger', 'Exit');
    await add('after Trigger', 'Call a webhook');
    await page.getByRole('button', { name: /^Trigger/ }).click();
    await page.getByRole('button', { name: /Error.*Call a webhook/ }).click();
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("name")')).toBe('url');
    await page.keyboard.type('https://hooks.example.test/in');
    await page.getByText('No problem found.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes are saved').waitFor();
    expect(shapeOf(await read(member, id))).toEqual(['Call a webhook > Exit', 'Trigger > Call a webhook']);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete the step' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes are saved').waitFor();
    expect(shapeOf(await read(member, id))).toEqual(['Trigger > Exit']);
  });

  test('two people edit one workflow, and neither loses a change without being asked', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`);
    await page.getByRole('button', { name: 'Add a step: after Trigger' }).click();
    await page.getByRole('menuitem', { name: 'Exit' }).click();
    await member.call('PATCH', `/workflows/${id}`, { description: 'Changed by another person' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Replace it with mine' }).waitFor();
    expect(shapeOf(await read(member, id))).toEqual([]);
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByText('All changes are saved').waitFor();
    expect(shapeOf(await read(member, id))).toEqual(['Trigger > Exit']);
    await page.getByLabel('Reason').fill('done');
    await page.getByRole('link', { name: 'Onboarding', exact: true }).click();
    await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
  });

  test('the graph inserts on a transition, connects, and removes', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const page = await member.open(`/workflows/${id}/edit?view=graph`);
    await page.getByRole('button', { name: /^Trigger/ }).click();
    await page.getByRole('button', { name: 'Add a step: after Trigger' }).click();
    await page.getByRole('menuitem', { name: 'Exit' }).click();
    // With the form, the frame becomes narrower, and the graph moves.
    await page.getByLabel('Reason').waitFor();
    await page.getByRole('button', { name: 'Add a step between Trigger and Exit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Wait for a time' }).click();
    await page.getByLabel('Amount').fill('3');
    await takePicture(page, 'workflow-editor-graph');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes are saved').waitFor();
    const saved = await read(member, id);
    expect(shapeOf(saved)).toEqual(['Trigger > Wait for a time', 'Wait for a time > Exit']);
    expect(saved.steps.find(({ type }) => type === 'DELAY')?.config).toEqual({ amount: 3, unit: 'days' });
  });

  /** A workflow with a contact in it. */
  const createActive = async (member: Member): Promise<string> => {
    const { id } = await create(member);
    await member.call('PATCH', `/workflows/${id}`, { enabled: true });
    const contact = await member.call<{ id: string }>('POST', '/contacts', { email: 'ada@inbox.test' });
    await member.call('POST', `/workflows/${id}/executions`, { contactId: contact.id });
    return id;
  };

  test('a workflow with active executions is duplicated with the changes, or disabled and saved', async () => {
    const member = await dashboard.member();
    const id = await createActive(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`);
    const addExit = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Add a step: after Trigger' }).click();
      await page.getByRole('menuitem', { name: 'Exit' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Contacts are in this workflow now').waitFor();
    };
    await addExit();
    await takePicture(page, 'workflow-editor-active');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Duplicate with my changes' }).click();
    await page.getByRole('heading', { name: 'Edit Onboarding (copy)' }).waitFor();
    await page.getByText('All changes are saved').waitFor();
    const copyId = new URL(page.url()).pathname.split('/').at(-2) ?? '';
    expect(shapeOf(await read(member, copyId))).toEqual(['Trigger > Exit']);
    expect(shapeOf(await read(member, id))).toEqual([]);

    await page.goBack();
    await page.getByRole('heading', { name: 'Edit Onboarding', exact: true }).waitFor();
    await addExit();
    await page.getByRole('button', { name: 'Disable and save' }).click();
    await page.getByText('All changes are saved').waitFor();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    const saved = await read(member, id);
    expect(shapeOf(saved)).toEqual(['Trigger > Exit']);
    expect(saved).toMatchObject({ enabled: false });
  });

  test('settings show what another person saved, and either version can be kept', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`);
    await page.getByRole('button', { name: 'Add a step: after Trigger' }).click();
    await page.getByRole('menuitem', { name: 'Exit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    const saveName = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Save' }).click();
    };
    await member.call('PATCH', `/workflows/${id}`, { name: 'Theirs', description: 'For new users' });
    await saveName('Mine');
    const theirs = dialog.getByRole('region', { name: 'The other version has' });
    await theirs.getByText('Theirs').waitFor();
    await theirs.getByText('For new users').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Mine');
    expect(await read(member, id)).toMatchObject({ name: 'Theirs' });
    await takePicture(page, 'workflow-settings-conflict');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Show the other version and drop mine' }).click();
    await page.getByRole('heading', { name: 'Edit Theirs' }).waitFor();

    await member.call('PATCH', `/workflows/${id}`, { name: 'Theirs again' });
    await saveName('Mine');
    await dialog.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByRole('heading', { name: 'Edit Mine' }).waitFor();
    // The draft of the steps is still there.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes are saved').waitFor();
    const saved = await read(member, id);
    expect(saved).toMatchObject({ name: 'Mine', description: 'For new users' });
    expect(shapeOf(saved)).toEqual(['Trigger > Exit']);
  });

  test('settings saved over another version leave the steps of the other person to be decided', async () => {
    const member = await dashboard.member();
    const id = await createActive(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`, { ...PHONE, colorScheme: 'dark' });
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await page.getByRole('button', { name: 'Settings' }).click();
    await dialog.getByLabel(/^Event/).fill('registered');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('its event cannot change').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Disable and save' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await read(member, id)).toMatchObject({ enabled: false, triggerConfig: { eventName: 'registered' } });

    const { steps } = await read(member, id);
    await member.call('PUT', `/workflows/${id}/graph`, {
      steps: [...steps, { key: 'end', type: 'EXIT', name: 'The end', config: {} }],
      transitions: [{ from: steps[0]?.id, to: 'end' }],
    });
    await page.getByRole('button', { name: 'Settings' }).click();
    await dialog.getByLabel('Name').fill('Mine');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByRole('heading', { name: 'Edit Mine' }).waitFor();
    await page.getByRole('button', { name: 'Add a step: after Trigger' }).click();
    await page.getByRole('menuitem', { name: 'Wait for a time' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Someone else has saved another version.').waitFor();
    expect(shapeOf(await read(member, id))).toEqual(['Trigger > The end']);
  });

  test('300 steps are laid out by a worker, have an overview map, and dragging one changes no other', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const keys = Array.from({ length: 300 }, (_, index) => `step ${index}`);
    await member.call('PUT', `/workflows/${id}/graph`, {
      steps: keys.map((key, index) => {
        if (index === 0) return { key, type: 'TRIGGER', name: key };
        if (index > 249) return { key, type: 'EXIT', name: key, config: {} };
        if (index % 5 === 0)
          return { key, type: 'CONDITION', name: key, config: { field: 'contact.data.plan', operator: 'exists' } };
        return { key, type: 'DELAY', name: key, config: { amount: 1, unit: 'days' } };
      }),
      transitions: keys.slice(0, 250).flatMap((from, index) => {
        const isCondition = index > 0 && index % 5 === 0;
        const next = { from, to: `step ${index + 1}`, ...(isCondition && { branch: 'yes' }) };
        return isCondition ? [next, { from, to: `step ${250 + index / 5}`, branch: 'no' }] : [next];
      }),
    });
    const page = await member.open(`/workflows/${id}/edit?view=graph`);
    const dragged = page.getByRole('button', { name: /step 0 Event/ });
    await dragged.waitFor();
    expect(page.workers()).toHaveLength(1);
    expect(await page.locator('[data-step]').count()).toBe(300);
    const map = page.locator('.react-flow__minimap');
    await map.waitFor();
    await takePicture(page, 'workflow-editor-300');
    await page.getByRole('button', { name: 'Overview map' }).click();
    await map.waitFor({ state: 'hidden' });

    await page.evaluate(RECORD_CHANGED_STEPS);
    const box = await dragged.boundingBox();
    if (!box) throw new Error('The step is not visible');
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 60, { steps: 5 });
    expect(await page.evaluate('[...window.changedSteps]')).toEqual([await dragged.getAttribute('data-step')]);
    await page.mouse.up();
    await page.getByRole('button', { name: 'Arrange' }).waitFor();
    await page.setViewportSize(PHONE.viewport);
    await page.reload();
    await dragged.waitFor();
    expect(await page.getByRole('button', { name: 'Overview map' }).count()).toBe(0);
    await expectNoOverflow(page);
  });

  test('the editor saves the draft and enables the workflow, whose event its settings have changed', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const page = await member.open(`/workflows/${id}/edit?view=list`, { ...PHONE, locale: 'de-DE' });
    await page.getByText('Auf den Auslöser folgt kein Schritt').waitFor();
    await page.getByRole('button', { name: 'Schritt einfügen: nach Auslöser' }).click();
    await page.getByRole('menuitem', { name: 'Ende', exact: true }).click();
    await page.getByRole('button', { name: 'Einstellungen' }).click();
    await page.getByLabel(/^Ereignis/).fill('registered');
    await page
      .getByRole('dialog', { name: 'Einstellungen', exact: true })
      .getByRole('button', { name: 'Speichern' })
      .click();
    await page.getByRole('dialog', { name: 'Einstellungen', exact: true }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Speichern und aktivieren' }).click();
    await page.getByRole('button', { name: 'Deaktivieren' }).waitFor();
    await takePicture(page, 'workflow-editor-phone-de');
    await expectNoOverflow(page);
    const saved = await member.call<Workflow & { enabled: boolean; triggerConfig: unknown }>('GET', `/workflows/${id}`);
    expect(saved).toMatchObject({ enabled: true, triggerConfig: { eventName: 'registered' } });
    expect(saved.transitions).toHaveLength(1);
  });
});
