import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';

const api = useApi();

interface Item {
  id: string;
  email: string;
  createdAt: string;
}

/** Creates contacts in the database, with the given times. */
async function insert(
  project: TestProject,
  contacts: Array<{ email: string; createdAt?: Date; subscribed?: boolean; snoozedUntil?: Date }>,
): Promise<void> {
  await api.ctx.prisma.contact.createMany({
    data: contacts.map((contact) => ({ id: newId(), projectId: project.id, subscribed: true, ...contact })),
  });
}

const list = async (project: TestProject, query = '') => (await api.as(project, 'GET', `/contacts${query}`)).json();
const emails = (page: { data: Item[] }): string[] => page.data.map((contact) => contact.email);

async function allPages(
  project: TestProject,
  query: string,
  onPage?: (page: { data: Item[] }) => Promise<void>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ;) {
    const page = await list(project, `?${query}${cursor && `&cursor=${cursor}`}`);
    expect(page.total > 0).toBe(cursor === '');
    items.push(...page.data);
    await onPage?.(page);
    expect(page.hasMore).toBe(page.cursor !== null);
    if (!page.hasMore) return items;
    cursor = page.cursor;
  }
}

const sharedTime = new Date('2026-01-01T00:00:00.123Z');
const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `c${String(index).padStart(3, '0')}@x.test`);

describe('GET /contacts', () => {
  it('returns an empty list', async () => {
    expect(await list(await api.project())).toEqual({ data: [], cursor: null, hasMore: false, total: 0 });
  });

  it('returns the 20 newest contacts and the total by default', async () => {
    const project = await api.project();
    await insert(
      project,
      names(25).map((email, index) => ({ email, createdAt: new Date(sharedTime.getTime() + index) })),
    );
    const page = await list(project);
    expect(emails(page)).toEqual(names(25).toReversed().slice(0, 20));
    expect(page).toMatchObject({ cursor: expect.any(String), hasMore: true, total: 25 });
    expect(Object.keys(page.data[0]).toSorted()).toEqual([
      'createdAt',
      'data',
      'email',
      'id',
      'snoozedUntil',
      'subscribed',
      'timezone',
      'updatedAt',
    ]);
  });

  it('counts the total on the first page only; later pages return 0', async () => {
    const project = await api.project();
    await insert(
      project,
      names(3).map((email) => ({ email })),
    );
    const first = await list(project, '?limit=2');
    const second = await list(project, `?limit=2&cursor=${first.cursor}`);
    expect([first.total, second.total, second.hasMore, second.cursor]).toEqual([3, 0, false, null]);
  });

  it.each(['sort=createdAt&dir=desc', 'sort=createdAt&dir=asc', 'sort=email&dir=asc', 'sort=email&dir=desc'])(
    'repeats and omits nothing when contacts share createdAt: %s',
    async (query) => {
      const project = await api.project();
      // Three milliseconds, with sub-millisecond precision that a cursor must keep.
      await insert(
        project,
        names(31).map((email, index) => ({ email, createdAt: new Date(sharedTime.getTime() + (index % 3)) })),
      );
      const items = await allPages(project, `${query}&limit=4`);
      expect(items.map((item) => item.email).toSorted()).toEqual(names(31));
      const order = items.map((item) => (query.includes('email') ? item.email : item.createdAt));
      expect(order).toEqual(query.includes('asc') ? order.toSorted() : order.toSorted().toReversed());
    },
  );

  it('continues after a deleted contact, and does not repeat contacts when one is added', async () => {
    const project = await api.project();
    await insert(
      project,
      names(10).map((email) => ({ email, createdAt: sharedTime })),
    );
    const items = await allPages(project, 'limit=3', async (page) => {
      await api.as(project, 'DELETE', `/contacts/${page.data.at(-1)?.id}`);
      await api.as(project, 'POST', '/contacts', { email: `${newId()}@later.test` });
    });
    expect(items.map((item) => item.email).toSorted()).toEqual(names(10));
  });

  it('clamps a limit above 100 to 100', async () => {
    const project = await api.project();
    await insert(
      project,
      names(103).map((email) => ({ email })),
    );
    expect((await list(project, '?limit=1000')).data).toHaveLength(100);
    expect((await list(project, `?limit=${'9'.repeat(30)}`)).data).toHaveLength(100);
    expect((await list(project, '?limit=100')).data).toHaveLength(100);
    expect((await list(project, '?limit=1')).data).toHaveLength(1);
  });

  it.each([
    ['limit=0', 'too_small'],
    ['limit=-1', 'invalid_string'],
    ['limit=1.5', 'invalid_string'],
    ['limit=many', 'invalid_string'],
    ['limit=', 'invalid_string'],
  ])('rejects %s', async (query, code) => {
    const response = await api.as(await api.project(), 'GET', `/contacts?${query}`);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([expect.objectContaining({ field: 'limit', code })]);
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['garbage', 'x'],
    ['an empty text', ''],
    ['no pair', encode(['2026-01-01T00:00:00.000Z'])],
    ['an invalid id', encode(['2026-01-01T00:00:00.000Z', '-'.repeat(36)])],
    ['an invalid time', encode(['yesterday', newId()])],
    ['an invalid day', encode(['2026-02-31T00:00:00.000Z', newId()])],
    ['a year 0', encode(['0000-01-01T00:00:00.000Z', newId()])],
    ['the cursor of another sort', encode(['a@x.test', newId()])],
  ])('rejects a cursor that is %s', async (_what, cursor) => {
    const response = await api.as(await api.project(), 'GET', `/contacts?cursor=${cursor}`);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([
      expect.objectContaining({ field: 'cursor', code: 'invalid_string' }),
    ]);
  });

  it('rejects the cursor of createdAt when sorting by address', async () => {
    const response = await api.as(
      await api.project(),
      'GET',
      `/contacts?sort=email&cursor=${encode(['2026-01-01T00:00:00.000Z', newId()])}`,
    );
    expect(response.statusCode).toBe(422);
  });

  it('searches for a part of the address in any case, and uses wildcards literally', async () => {
    const project = await api.project();
    await insert(
      project,
      ['ada@x.test', 'grace@x.test', 'a_a@y.test', '50%off@y.test'].map((email) => ({ email })),
    );
    const found = async (search: string) =>
      emails(await list(project, `?sort=email&dir=asc&search=${encodeURIComponent(search)}`));
    expect(await found('ADA')).toEqual(['ada@x.test']);
    expect(await found('@X.')).toEqual(['ada@x.test', 'grace@x.test']);
    expect(await found('a_a')).toEqual(['a_a@y.test']);
    expect(await found('%')).toEqual(['50%off@y.test']);
    expect(await found('\\')).toEqual([]);
    expect(await found('')).toHaveLength(4);
    expect((await list(project, '?search=x.test&limit=1')).total).toBe(2);
  });

  it('filters by subscription; without a filter, both are included', async () => {
    const project = await api.project();
    await insert(project, [
      { email: 'in@x.test' },
      { email: 'out@x.test', subscribed: false },
      { email: 'zzz@x.test', subscribed: false, snoozedUntil: new Date(Date.now() + 1e6) },
    ]);
    const found = async (query: string) => {
      const page = await list(project, `?sort=email&dir=asc&${query}`);
      expect(page.total).toBe(page.data.length);
      return emails(page);
    };
    expect(await found('')).toEqual(['in@x.test', 'out@x.test', 'zzz@x.test']);
    expect(await found('status=subscribed')).toEqual(['in@x.test']);
    expect(await found('subscribed=true')).toEqual(['in@x.test']);
    expect(await found('status=unsubscribed')).toEqual(['out@x.test', 'zzz@x.test']);
    expect(await found('subscribed=false')).toEqual(['out@x.test', 'zzz@x.test']);
    expect(await found('status=snoozed')).toEqual(['zzz@x.test']);
    expect(await found('status=snoozed&subscribed=false')).toEqual(['zzz@x.test']);
    expect(await found('status=subscribed&subscribed=false')).toEqual([]);
    expect(await found('status=unsubscribed&search=out')).toEqual(['out@x.test']);
  });

  it.each(['status=active', 'subscribed=yes', 'status=subscribed&status=snoozed'])('rejects %s', async (query) => {
    expect((await api.as(await api.project(), 'GET', `/contacts?${query}`)).statusCode).toBe(422);
  });

  it.each(['sort=name', 'dir=up', 'sort=&dir=', 'sort=EMAIL'])(
    'falls back to createdAt and desc for %s',
    async (query) => {
      const project = await api.project();
      await insert(
        project,
        names(3).map((email, index) => ({ email, createdAt: new Date(sharedTime.getTime() + ((index * 2) % 3)) })),
      );
      expect(emails(await list(project, `?${query}`))).toEqual(['c001@x.test', 'c002@x.test', 'c000@x.test']);
    },
  );

  it('shows no contact of another project, not even with its cursor', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await insert(
      project,
      names(3).map((email) => ({ email })),
    );
    await insert(other, [{ email: 'mine@x.test', createdAt: sharedTime }]);
    const { cursor } = await list(project, '?limit=1');
    expect(emails(await list(other))).toEqual(['mine@x.test']);
    expect(emails(await list(other, `?cursor=${cursor}`))).toEqual(['mine@x.test']);
  });
});
