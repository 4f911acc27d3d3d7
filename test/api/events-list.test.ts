import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { selectEventNames } from '../../src/domain/events/sql/list.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { errorOf, refusal } from '../helpers/session.js';

const api = useApi();
const { tracked, insertContact, insertEvents } = eventHelpers(api);

interface Item {
  id: string;
  name: string;
  createdAt: string;
}

const get = async (project: TestProject, url: string) => {
  const response = await api.as(project, 'GET', url);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
};
const ids = (page: { data: Item[] }): string[] => page.data.map(({ id }) => id);
const time = new Date('2026-01-01T00:00:00.123Z');
const later = (ms: number): Date => new Date(time.getTime() + ms);
const DAY = 24 * 3600 * 1000;
const repeat = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));

async function allPages(
  project: TestProject,
  url: string,
  onPage?: (page: { data: Item[] }) => Promise<void>,
): Promise<string[]> {
  const items: string[] = [];
  for (let cursor = ''; ;) {
    const page = await get(project, `${url}${cursor && `&cursor=${cursor}`}`);
    expect(page.total > 0).toBe(cursor === '');
    items.push(...ids(page));
    await onPage?.(page);
    expect(page.hasMore).toBe(page.cursor !== null);
    if (!page.hasMore) return items;
    cursor = page.cursor;
  }
}

describe('GET /events', () => {
  it('returns an empty list', async () => {
    expect(await get(await api.project(), '/events')).toEqual({ data: [], cursor: null, hasMore: false, total: 0 });
  });

  it('returns id, name, data, contactId, emailId, and createdAt of an event', async () => {
    const project = await api.project();
    const { contact, event, timestamp } = await tracked(project, {
      data: { plan: 'pro', once: { value: 1, persistent: false } },
    });
    expect((await get(project, '/events')).data).toStrictEqual([
      {
        id: event,
        name: 'signed up',
        data: { plan: 'pro', once: 1 },
        contactId: contact,
        emailId: null,
        createdAt: timestamp,
      },
    ]);
  });

  it('returns the 20 newest first by default, and the total', async () => {
    const project = await api.project();
    const inserted = await insertEvents(
      project,
      repeat(25, (index) => ({ createdAt: later(index) })),
    );
    const page = await get(project, '/events');
    expect(ids(page)).toEqual(inserted.toReversed().slice(0, 20));
    expect(page).toMatchObject({ cursor: expect.any(String), hasMore: true, total: 25 });
    const second = await get(project, `/events?cursor=${page.cursor}`);
    expect(ids(second)).toEqual(inserted.toReversed().slice(20));
    expect(second).toMatchObject({ cursor: null, hasMore: false, total: 0 });
  });

  it('repeats and omits nothing if events share createdAt', async () => {
    const project = await api.project();
    const inserted = await insertEvents(
      project,
      repeat(31, (index) => ({ createdAt: later(index % 3) })),
    );
    const listed = await allPages(project, '/events?limit=4');
    expect(listed.toSorted()).toEqual(inserted.toSorted());
    expect(listed).toEqual(
      [2, 1, 0].flatMap((rest) =>
        inserted
          .filter((_, index) => index % 3 === rest)
          .toSorted()
          .toReversed(),
      ),
    );
  });

  it('continues after a deleted event, and does not repeat events when one is tracked', async () => {
    const project = await api.project();
    const inserted = await insertEvents(
      project,
      repeat(10, () => ({ createdAt: time })),
    );
    const listed = await allPages(project, '/events?limit=3', async (page) => {
      await api.ctx.prisma.event.delete({ where: { id: page.data.at(-1)?.id } });
      await tracked(project);
    });
    expect(listed.toSorted()).toEqual(inserted.toSorted());
  });

  it('adds the current address of the contact with include=contact, and not otherwise', async () => {
    const project = await api.project();
    const contactId = await insertContact(project);
    const { email } = await api.ctx.prisma.contact.findUniqueOrThrow({ where: { id: contactId } });
    await insertEvents(project, [{ name: 'a', contactId }, { name: 'b' }]);
    const { data } = await get(project, '/events?include=contact');
    expect(
      Object.fromEntries(data.map((one: { name: string; contactEmail: unknown }) => [one.name, one.contactEmail])),
    ).toEqual({ a: email, b: null });
    expect((await get(project, '/events')).data[0]).not.toHaveProperty('contactEmail');
    expect(refusal(await api.as(project, 'GET', '/events?include=email'))).toEqual([
      422,
      'VALIDATION_ERROR',
      'include',
    ]);
  });

  it('filters by eventName, exactly and trimmed; an empty eventName does not filter', async () => {
    const project = await api.project();
    const [a, b, c] = await insertEvents(
      project,
      ['signed up', 'Signed up', 'a&b=c/d'].map((name, index) => ({ name, createdAt: later(index) })),
    );
    const named = async (name: string) => get(project, `/events?eventName=${encodeURIComponent(name)}`);
    expect(await named('signed up')).toMatchObject({ data: [{ id: a }], total: 1, hasMore: false });
    expect(ids(await named(' Signed up '))).toEqual([b]);
    expect(ids(await named('a&b=c/d'))).toEqual([c]);
    expect(await named('signed')).toMatchObject({ data: [], total: 0 });
    expect(await named('')).toMatchObject({ total: 3 });
  });

  it('pages through one name only', async () => {
    const project = await api.project();
    const inserted = await insertEvents(
      project,
      repeat(20, (index) => ({ name: `n${index % 2}`, createdAt: later(index % 4) })),
    );
    const listed = await allPages(project, '/events?limit=3&eventName=n1');
    expect(listed.toSorted()).toEqual(inserted.filter((_, index) => index % 2 === 1).toSorted());
  });

  it('returns nothing of another project', async () => {
    await tracked(await api.project());
    expect((await get(await api.project(), '/events')).data).toEqual([]);
  });

  it('clamps a limit above 100 to 100', async () => {
    const project = await api.project();
    await insertEvents(
      project,
      repeat(103, () => ({})),
    );
    for (const [limit, length] of [
      [1000, 100],
      [100, 100],
      [1, 1],
    ])
      expect((await get(project, `/events?limit=${limit}`)).data).toHaveLength(length ?? 0);
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=many', 'limit'],
    ['cursor=x', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${encode(['yesterday', newId()])}`, 'cursor'],
    [`cursor=${encode(['2026-02-31T00:00:00.000Z', newId()])}`, 'cursor'],
    [`cursor=${encode(['a@x.test', newId()])}`, 'cursor'],
    ['eventName=a%00b', 'eventName'],
  ])('rejects %s with 422', async (query, field) => {
    const project = await api.project();
    const id = await insertContact(project);
    for (const url of field === 'eventName' ? ['/events'] : ['/events', `/events/contact/${id}`])
      expect(refusal(await api.as(project, 'GET', `${url}?${query}`))).toEqual([422, 'VALIDATION_ERROR', field]);
  });
});

describe('GET /events/contact/:contactId', () => {
  it("returns one contact's events, newest first, in pages", async () => {
    const project = await api.project();
    const [mine, other] = [await insertContact(project), await insertContact(project)];
    const inserted = await insertEvents(
      project,
      repeat(20, (index) => ({ contactId: index % 2 === 0 ? mine : other, createdAt: later(index % 4) })),
    );
    const first = await get(project, `/events/contact/${mine}?limit=3`);
    expect(first).toMatchObject({ total: 10, hasMore: true, data: repeat(3, () => ({ contactId: mine })) });
    const listed = await allPages(project, `/events/contact/${mine}?limit=3`);
    expect(listed).toEqual([2, 0].flatMap((rest) => inserted.filter((_, index) => index % 4 === rest).toReversed()));
  });

  it('returns an empty list for a contact without events', async () => {
    const project = await api.project();
    expect(await get(project, `/events/contact/${await insertContact(project)}`)).toEqual({
      data: [],
      cursor: null,
      hasMore: false,
      total: 0,
    });
  });

  it.each(['an unknown contact', 'a malformed id', "another project's contact"])(
    'returns 404 CONTACT_NOT_FOUND for %s',
    async (which) => {
      const project = await api.project();
      const id =
        which === 'a malformed id'
          ? 'nope'
          : which === 'an unknown contact'
            ? newId()
            : await insertContact(await api.project());
      expect(refusal(await api.as(project, 'GET', `/events/contact/${id}`))).toEqual([404, 'CONTACT_NOT_FOUND']);
    },
  );

  it('returns no events of a deleted contact, because they are deleted with it', async () => {
    const project = await api.project();
    const { contact } = await tracked(project);
    await api.as(project, 'DELETE', `/contacts/${contact}`);
    expect(refusal(await api.as(project, 'GET', `/events/contact/${contact}`))).toEqual([404, 'CONTACT_NOT_FOUND']);
    expect(await get(project, '/events')).toMatchObject({ total: 0 });
  });
});

describe('GET /events/stats', () => {
  it('counts each name, the most frequent first, then by name', async () => {
    const project = await api.project();
    await insertEvents(
      project,
      ['b', 'c', 'a', 'b', 'a', 'email.sent'].map((name) => ({ name })),
    );
    await insertEvents(await api.project(), [{ name: 'b' }]);
    expect(await get(project, '/events/stats')).toEqual([
      { name: 'a', count: 2 },
      { name: 'b', count: 2 },
      { name: 'c', count: 1 },
      { name: 'email.sent', count: 1 },
    ]);
    expect(await get(await api.project(), '/events/stats')).toEqual([]);
  });

  it('counts from startDate through endDate; a date without a time is that UTC day', async () => {
    const project = await api.project();
    const day = Date.parse('2026-03-10T00:00:00.000Z');
    await insertEvents(project, [
      { name: 'before', createdAt: new Date(day - 1) },
      { name: 'first', createdAt: new Date(day) },
      { name: 'last', createdAt: new Date(day + DAY - 1) },
      { name: 'after', createdAt: new Date(day + DAY) },
    ]);
    const names = async (query: string): Promise<string[]> =>
      (await get(project, `/events/stats?${query}`)).map(({ name }: Item) => name);
    expect(await names('startDate=2026-03-10&endDate=2026-03-10')).toEqual(['first', 'last']);
    expect(await names('startDate=2026-03-10')).toEqual(['after', 'first', 'last']);
    expect(await names('endDate=2026-03-10')).toEqual(['before', 'first', 'last']);
    expect(await names('startDate=2026-03-10T23:59:59.999Z&endDate=2026-03-11T00:00:00.000Z')).toEqual([
      'after',
      'last',
    ]);
    expect(await names('startDate=2026-03-10T02:00:00%2B02:00&endDate=2026-03-10T00:00:00Z')).toEqual(['first']);
  });

  it.each([
    'startDate=yesterday',
    'endDate=2026-02-30',
    'startDate=',
    'endDate=2026-13-01T00:00:00Z',
    'startDate=0000-01-01',
    'endDate=1767225600000',
    'startDate=2026-01-01T00:00:00',
  ])('rejects %s with 422', async (query) => {
    const response = await api.as(await api.project(), 'GET', `/events/stats?${query}`);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', query.split('=')[0]]);
    expect(errorOf(response).errors?.[0]?.message).toMatch(/ISO 8601/);
  });

  it('rejects an end before the start with 422', async () => {
    expect(
      refusal(await api.as(await api.project(), 'GET', '/events/stats?startDate=2026-03-12&endDate=2026-03-11')),
    ).toEqual([422, 'VALIDATION_ERROR', 'startDate']);
  });
});

describe('GET /events/names', () => {
  it("returns each name once, including the service's own, sorted, of this project only", async () => {
    const project = await api.project();
    await insertEvents(
      project,
      ['signed up', 'b', 'signed up', 'names', 'email.sent', '注文', 'b'].map((name) => ({ name })),
    );
    await insertEvents(await api.project(), [{ name: 'theirs' }]);
    const { eventNames } = await get(project, '/events/names');
    expect(eventNames).toHaveLength(5);
    expect(new Set(eventNames)).toEqual(new Set(['b', 'email.sent', 'names', 'signed up', '注文']));
    expect(eventNames.slice(0, 4)).toEqual(['b', 'email.sent', 'names', 'signed up']);
    expect(await get(await api.project(), '/events/names')).toEqual({ eventNames: [] });
  });

  it('skips from name to name instead of reading all events', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, name) SELECT uuid_v7(), $1, 'n' || n % 10 FROM generate_series(1, 20000) n`,
      [project.id],
    );
    await api.ctx.pool.query('VACUUM ANALYZE events');
    // The difference of the blocks that this connection has read: the counters also hold earlier reads.
    const read = `SELECT sum(pg_stat_get_xact_tuples_returned(oid))::int AS rows FROM (SELECT 'events'::regclass::oid AS oid UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = 'events'::regclass) AS relations`;
    const rows = await transaction(api.ctx.pool, async (tx) => {
      const readSoFar = async (): Promise<number> => (await tx.query<{ rows: number }>(read)).rows[0]?.rows ?? 0;
      const before = await readSoFar();
      expect(await selectEventNames(tx, project.id, 100)).toEqual(repeat(10, (index) => `n${index}`));
      return (await readSoFar()) - before;
    });
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(100);
  });
});
