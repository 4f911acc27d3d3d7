/** During an upgrade, processes of the previous version insert events directly, while new ones call insert_events. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { insertEvents } from '../../src/domain/events/insert.js';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { triggerHelpers } from '../helpers/triggers.js';

const api = useApi();
const { insertContact } = eventHelpers(api);
const { workflow, begun, waiting, pokesOf } = triggerHelpers(() => api.ctx);

beforeAll(async () => {
  // The template of the tests has no compatibility trigger.
  const file = new URL('../../src/db/functions/events_start_and_wake.sql', import.meta.url);
  await api.ctx.pool.query(readFileSync(file, 'utf8'));
});

async function scene() {
  const project = await api.project();
  const contactId = await insertContact(project);
  const graph = await workflow(project.id, 'bought', { allowReentry: true });
  const wait = await waiting(await workflow(project.id, 'never'), contactId, 'bought');
  const counts = async () => [(await begun(graph)).map(({ starts }) => starts), await pokesOf(wait)];
  return { projectId: project.id, contactId, counts };
}

test('an event that a process of the previous version inserts starts and pokes once', async () => {
  const { projectId, contactId, counts } = await scene();
  await api.ctx.pool.query(`INSERT INTO events (id, project_id, contact_id, name) VALUES ($1, $2, $3, 'bought')`, [
    newId(),
    projectId,
    contactId,
  ]);
  expect(await counts()).toEqual([[1], 1]);
});

test('an event that a process of this version inserts starts and pokes once', async () => {
  const { projectId, contactId, counts } = await scene();
  await insertEvents(api.ctx.pool, [{ projectId, contactId, name: 'bought' }]);
  expect(await counts()).toEqual([[1], 1]);
});

test('an event that is inserted directly after a call of insert_events, in its transaction, pokes too', async () => {
  const { projectId, contactId, counts } = await scene();
  const tx = await api.ctx.pool.connect();
  try {
    await tx.query('BEGIN');
    await insertEvents(tx, [{ projectId, contactId, name: 'bought' }]);
    await tx.query(`INSERT INTO events (id, project_id, contact_id, name) VALUES ($1, $2, $3, 'bought')`, [
      newId(),
      projectId,
      contactId,
    ]);
    await tx.query('COMMIT');
  } finally {
    tx.release();
  }
  expect(await counts()).toEqual([[1], 2]);
});
