/** `POST /contacts/import`: accepted files, and the result of their rows. */
import { describe, expect, it, test, vi } from 'vitest';
import { CsvReader } from '../../src/domain/imports/csv.js';
import { prepareImport } from '../../src/domain/imports/prepare.js';
import { importChunk } from '../../src/domain/imports/run.js';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { form, jobHelpers, runImport } from '../helpers/jobs.js';
import { dump } from '../helpers/routes.js';
import { errorOf } from '../helpers/session.js';

const api = useApi();
const { upload, uploadFile, queue, importStatus, importFile, contacts, flips } = jobHelpers(api);

const MEGABYTE = 1024 * 1024;

describe('the upload', () => {
  it('returns 202 with a job id, and commits the job, the file, and the start of its workflow', async () => {
    const project = await api.project();
    const jobId = await queue(project, 'email\na@x.test\n');
    expect(await importStatus(project, jobId)).toEqual({
      id: jobId,
      state: 'waiting',
      progress: 0,
      result: null,
      failedReason: null,
    });
    const intents = await api.ctx.prisma.outbox.findMany({ where: { workflowId: `import:${jobId}` } });
    expect(intents).toMatchObject([
      {
        action: 'start',
        payload: { workflowType: 'contactImport', taskQueue: 'bulk', args: [{ jobId, projectId: project.id }] },
      },
    ]);
    expect(await api.ctx.prisma.importFile.count({ where: { jobId } })).toBe(1);
    expect(JSON.stringify(intents.map(({ payload }) => payload))).not.toContain('a@x.test');
  });

  it('accepts 5 MB, and returns 413 for one byte more, changing nothing', async () => {
    const project = await api.project();
    const file = Buffer.alloc(5 * MEGABYTE, '\n');
    file.write('email\na@x.test\n');
    expect((await uploadFile(project, file)).statusCode).toBe(202);
    const before = await dump(api.ctx);
    expect(refused(await uploadFile(project, Buffer.concat([file, Buffer.from('\n')])))).toEqual({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(await dump(api.ctx)).toEqual(before);
  });

  it('parses only the header of the file before it responds', async () => {
    const project = await api.project();
    const read = vi.spyOn(CsvReader.prototype, 'write');
    try {
      for (const before of ['', '\n'.repeat(100_000)]) {
        read.mockClear();
        await queue(project, `${before}email\n${'x\n'.repeat(MEGABYTE)}`);
        expect(read.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0)).toBeLessThan(before.length + 50_000);
      }
    } finally {
      read.mockRestore();
    }
  });

  it('returns 413 for a file that is far too large without reading it', async () => {
    const project = await api.project();
    const { headers } = form([]);
    const response = await api.app.inject({
      method: 'POST',
      url: '/contacts/import',
      headers: { ...headers, authorization: `Bearer ${project.secret}`, 'content-length': String(1000 * MEGABYTE) },
      payload: 'x',
    });
    expect(response.statusCode).toBe(413);
  });

  test.each([
    ['an empty file', '', /empty/],
    ['a file of empty lines', '\n\r\n\n', /empty/],
    ['a header without the column email', 'mail,name\na@x.test,A\n', /no column "email"/],
    ['rows without a header', 'a@x.test,A\nb@x.test,B\n', /no column "email"/],
    ['a header that names a column twice', 'email,plan,plan\n', /"plan" twice/],
    ['a header with a quote that is never closed', '"email,plan\na@x.test,A\n', /header is invalid/],
    ['a binary file', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]), /binary/],
    ['Latin-1', Buffer.from('email,name\na@x.test,A\nb@x.test,J\xfcrgen\n', 'latin1'), /not in UTF-8: see line 3/],
    ['UTF-16', Buffer.from('\ufeffemail\na@x.test\n', 'utf16le'), /UTF-16/],
  ])('returns 422 for %s, with the reason', async (_, content, message) => {
    const project = await api.project();
    const response = await uploadFile(project, content);
    expect(refused(response)).toEqual({ status: 422, code: 'VALIDATION_ERROR', errors: ['file custom'] });
    expect(errorOf(response).errors?.[0]?.message).toMatch(message);
    expect(await api.ctx.prisma.job.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('returns 422 without a part "file", and for a field of that name', async () => {
    const project = await api.project();
    for (const parts of [
      [],
      [{ name: 'upload', filename: 'a.csv', content: 'email\n' }],
      [{ name: 'file', content: 'email\n' }],
    ]) {
      expect(refused(await upload(project, parts))).toEqual({
        status: 422,
        code: 'VALIDATION_ERROR',
        errors: ['file required'],
      });
    }
  });

  it('ignores other parts', async () => {
    const project = await api.project();
    const response = await upload(project, [
      { name: 'note', content: 'x' },
      { name: 'other', filename: 'b.csv', content: 'nothing' },
      { name: 'file', filename: 'a.csv', content: 'email\na@x.test\n' },
    ]);
    expect(response.statusCode, response.body).toBe(202);
  });

  it('returns 422 for two parts "file"', async () => {
    const project = await api.project();
    const part = (email: string) => ({ name: 'file', filename: 'a.csv', content: `email\n${email}\n` });
    expect(refused(await upload(project, [part('a@x.test'), part('b@x.test')]))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['file custom'],
    });
    expect(await api.ctx.prisma.job.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('returns 413 for a form with too many parts, and does not call it a large file', async () => {
    const project = await api.project();
    const response = await upload(
      project,
      Array.from({ length: 40 }, (_, index) => ({ name: `note${index}`, content: 'x' })),
    );
    expect(refused(response)).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(errorOf(response).message).toMatch(/limit/);
  });

  it('returns 400 for a truncated form, and 415 for anything but a form', async () => {
    const project = await api.project();
    const { payload, headers } = form([{ name: 'file', filename: 'a.csv', content: 'email\na@x.test\n' }]);
    const authorization = `Bearer ${project.secret}`;
    const cut = await api.app.inject({
      method: 'POST',
      url: '/contacts/import',
      headers: { ...headers, authorization },
      payload: payload.subarray(0, 120),
    });
    expect(refused(cut)).toEqual({ status: 400, code: 'BAD_REQUEST' });
    for (const type of [
      'application/json',
      'text/csv',
      'application/octet-stream',
      'application/x-www-form-urlencoded',
    ]) {
      const response = await api.app.inject({
        method: 'POST',
        url: '/contacts/import',
        headers: { 'content-type': type, authorization },
        payload: 'email\na@x.test\n',
      });
      expect(refused(response), type).toEqual({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    }
  });
});

describe('GET /contacts/import/:jobId', () => {
  it("returns 404 for another project's job, a bulk job, an unknown id, and a malformed id", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const theirs = await queue(other, 'email\n');
    const bulk = (await api.as(project, 'POST', '/contacts/bulk-delete', { contactIds: [newId()] })).json<{
      jobId: string;
    }>().jobId;
    for (const id of [theirs, bulk, newId(), 'x'])
      expect(refused(await api.as(project, 'GET', `/contacts/import/${id}`))).toEqual({
        status: 404,
        code: 'JOB_NOT_FOUND',
      });
  });
});

describe('the rows', () => {
  it('create contacts, with the other columns as their data', async () => {
    const project = await api.project();
    const result = await importFile(
      project,
      'email,firstName,age\nAnna@X.test , Anna ,30\nbo@x.test,"Bo, the ""first""",\n',
    );
    expect(result).toEqual({
      totalRows: 2,
      successCount: 2,
      createdCount: 2,
      updatedCount: 0,
      failureCount: 0,
      errors: [],
    });
    expect(await contacts(project)).toEqual({
      'anna@x.test': { subscribed: true, data: { firstName: 'Anna', age: 30 } },
      'bo@x.test': { subscribed: true, data: { firstName: 'Bo, the "first"' } },
    });
    expect(await flips(project)).toEqual([]);
  });

  it('can have a BOM, CRLF, line breaks in quotes, and any script, and errors have the line of the file', async () => {
    const project = await api.project();
    const result = await importFile(
      project,
      '\ufeffEmail,note\r\na@x.test,"two\r\nlines"\r\ninvalid,x\r\n\r\nb@x.test,日本語 🎉\r\nalso invalid,"\n\n"\r\n@,end',
    );
    expect(result).toMatchObject({ totalRows: 5, createdCount: 2, failureCount: 3 });
    expect(result.errors.map(({ row, email }) => [row, email])).toEqual([
      [4, 'invalid'],
      [7, 'also invalid'],
      [10, '@'],
    ]);
    expect(await contacts(project)).toEqual({
      'a@x.test': { subscribed: true, data: { note: 'two\r\nlines' } },
      'b@x.test': { subscribed: true, data: { note: '日本語 🎉' } },
    });
  });

  it('accept the addresses that POST /contacts accepts, and store them alike', async () => {
    const project = await api.project();
    const taken = [
      'a%b=c&d@x.test',
      "o'neil@x.test",
      'a@xn--p1ai.xn--p1ai',
      'Anna@MÜLLER.test',
      `${'x'.repeat(64)}@x.test`,
      'a@x。test',
    ];
    const notTaken = [
      'почта@x.test',
      'a@localhost',
      'a@1.2.3.4',
      '.a@x.test',
      'a@-x.test',
      `${'x'.repeat(65)}@x.test`,
      `a@${'ü'.repeat(60_000)}.test`,
    ];
    const kept = [];
    for (const email of taken)
      kept.push((await api.as(project, 'POST', '/contacts', { email })).json<{ email: string }>().email);
    for (const email of notTaken)
      expect((await api.as(project, 'POST', '/contacts', { email })).statusCode, email.slice(0, 70)).toBe(422);
    const result = await importFile(project, `email\n${[...taken, ...notTaken].join('\n')}\n`);
    expect(result).toMatchObject({ createdCount: 0, updatedCount: taken.length, failureCount: notTaken.length });
    expect(Object.keys(await contacts(project))).toEqual(kept.toSorted());
    expect(kept).toContain('anna@xn--mller-kva.test');
  });

  it('keep backslashes, tabs, and quotes of their cells', async () => {
    const project = await api.project();
    await importFile(project, 'email,a\tb,c\na@x.test,"x\ty\\n\\.","\\N"\nb@x.test,\\,"{""a"":1}"\n');
    expect(await contacts(project)).toEqual({
      'a@x.test': { subscribed: true, data: { 'a\tb': 'x\ty\\n\\.', c: '\\N' } },
      'b@x.test': { subscribed: true, data: { 'a\tb': '\\', c: '{"a":1}' } },
    });
  });

  it('parse true and false as booleans, plain decimal numbers as numbers, and anything else as text', async () => {
    const project = await api.project();
    const cells = {
      a: 'true',
      b: 'false',
      c: '42',
      d: '-1.50',
      e: '0',
      f: '0.5',
      g: '007',
      h: '+49',
      i: '1e5',
      j: '1,5',
      k: '12345678901234567890',
      l: 'TRUE',
      m: '.5',
      n: '1.',
      o: '00',
      p: '2026-11-21',
    };
    await importFile(
      project,
      `email,${Object.keys(cells).join(',')}\na@x.test,${Object.values(cells)
        .map((cell) => `"${cell}"`)
        .join(',')}\n`,
    );
    expect((await contacts(project))['a@x.test']?.data).toEqual({
      ...cells,
      a: true,
      b: false,
      c: 42,
      d: -1.5,
      e: 0,
      f: 0.5,
    });
  });

  it('drop reserved names and columns without a name', async () => {
    const project = await api.project();
    await importFile(project, 'id,email,__proto__,constructor,unsubscribeUrl,,svc_id,plan\n1,a@x.test,2,3,4,5,6,pro\n');
    expect(await contacts(project)).toEqual({ 'a@x.test': { subscribed: true, data: { plan: 'pro' } } });
  });

  it('are rejected individually: invalid address, invalid subscription, too many cells, broken quotes', async () => {
    const project = await api.project();
    const rows = [
      'ok@x.test,yes,A',
      ',yes,B',
      'invalid,yes,C',
      'c@x.test,maybe,D',
      'd@x.test,yes,E,F',
      'e@x.test,"yes" no,G',
      'f@x.test,1',
      `${'x'.repeat(250)}@x.test,1,H`,
      'last@x.test,"1',
      'g@x.test,0,I,,,',
    ];
    const result = await importFile(project, `email,subscribed,name\n${rows.join('\n')}`);
    expect(result.errors.map(({ row, error }) => `${row} ${error}`)).toEqual([
      '3 The email is missing',
      '4 This is not an email address',
      '5 "subscribed" must be true, 1, yes, false, 0, or no',
      '6 The row has 4 cells, the header 3',
      '7 Unexpected text after a closing quote',
      '9 This is not an email address',
      '10 A quote is not closed',
    ]);
    expect(Object.keys(await contacts(project))).toEqual(['f@x.test', 'g@x.test', 'ok@x.test']);
  });

  it('are rejected if a contact would exceed 100 keys or 64 KiB, and the contact stays unchanged', async () => {
    const project = await api.project();
    const keys = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const wide = Object.fromEntries(keys('old', 60).map((key) => [key, 1]));
    await api.as(project, 'POST', '/contacts', { email: 'wide@x.test', data: wide });
    await api.as(project, 'POST', '/contacts', { email: 'long@x.test', data: { text: 'x'.repeat(40_000) } });
    const header = `email,big,${keys('new', 50).join(',')}`;
    const result = await importFile(
      project,
      `${header}\nwide@x.test,,${'1,'.repeat(49)}1\nlong@x.test,${'y'.repeat(40_000)}\nhuge@x.test,${'z'.repeat(65_536)}\nfine@x.test,${'z'.repeat(65_500)}\n`,
    );
    expect(result).toMatchObject({ createdCount: 1, updatedCount: 0, failureCount: 3 });
    expect(result.errors.map(({ row, email }) => `${row} ${email}`)).toEqual([
      '2 wide@x.test',
      '3 long@x.test',
      '4 huge@x.test',
    ]);
    expect((await contacts(project))['wide@x.test']?.data).toEqual(wide);
  });

  it('keep the first 1,000 errors, and count all', async () => {
    const project = await api.project();
    const result = await importFile(project, `email\n${'invalid\n'.repeat(6500)}a@x.test\n`);
    expect(result).toMatchObject({ totalRows: 6501, failureCount: 6500, createdCount: 1 });
    expect(result.errors).toHaveLength(1000);
    expect([result.errors[0]?.row, result.errors[999]?.row]).toEqual([2, 1001]);
  });

  it('with a duplicate address: the last one counts, within one chunk and across two', async () => {
    const project = await api.project();
    const rows = Array.from({ length: 6000 }, (_, index) => `n${index}@x.test,first,${index}`);
    const result = await importFile(
      project,
      `email,plan,n\nTWICE@x.test,old,1\ntwice@x.test,new,\nn0@x.test,early,\n${rows.join('\n')}\nn1@x.test,late,\nn1@x.test,,,bad,bad\n`,
    );
    expect(result).toMatchObject({ totalRows: 6005, createdCount: 6001, updatedCount: 3, failureCount: 1 });
    const all = await contacts(project);
    expect(all['twice@x.test']?.data).toEqual({ plan: 'new' });
    expect(all['n0@x.test']?.data).toEqual({ plan: 'first', n: 0 });
    expect(all['n1@x.test']?.data).toEqual({ plan: 'late' });
  });

  it('with only a header complete an import of no rows', async () => {
    const project = await api.project();
    expect(await importFile(project, 'email,plan')).toEqual({
      totalRows: 0,
      successCount: 0,
      createdCount: 0,
      updatedCount: 0,
      failureCount: 0,
      errors: [],
    });
  });
});

describe('known contacts', () => {
  it('are updated: given cells are merged, empty cells change nothing, and equal values keep updatedAt', async () => {
    const project = await api.project();
    await api.as(project, 'POST', '/contacts', { email: 'a@x.test', data: { plan: 'free', city: 'Rome' } });
    await api.as(project, 'POST', '/contacts', { email: 'same@x.test', data: { plan: 'pro' } });
    const before = await api.ctx.prisma.contact.findFirstOrThrow({
      where: { projectId: project.id, email: 'same@x.test' },
    });
    const result = await importFile(project, 'email,plan,city\na@x.test,pro,\nsame@x.test,pro,\nnew@x.test,pro,\n');
    expect(result).toMatchObject({ createdCount: 1, updatedCount: 2 });
    expect((await contacts(project))['a@x.test']?.data).toEqual({ plan: 'pro', city: 'Rome' });
    expect(await api.ctx.prisma.contact.findUniqueOrThrow({ where: { id: before.id } })).toEqual(before);
  });

  it('change their subscription only if the cell is given and filled, and each change writes its event', async () => {
    const project = await api.project();
    const know = (email: string, subscribed: boolean) => api.as(project, 'POST', '/contacts', { email, subscribed });
    for (const [email, subscribed] of [
      ['on1', true],
      ['on2', true],
      ['on3', true],
      ['off1', false],
      ['off2', false],
    ] as const)
      await know(`${email}@x.test`, subscribed);
    await importFile(project, 'email\non1@x.test\noff1@x.test\n');
    expect(await flips(project)).toEqual([]);
    await importFile(
      project,
      'email,Subscribed\non1@x.test,\non2@x.test,NO\non3@x.test,1\noff1@x.test,Yes\noff2@x.test,false\nnew1@x.test,0\nnew2@x.test,\n',
    );
    expect(
      Object.entries(await contacts(project)).map(([email, { subscribed }]) => `${email.split('@')[0]} ${subscribed}`),
    ).toEqual(['new1 false', 'new2 true', 'off1 true', 'off2 false', 'on1 true', 'on2 false', 'on3 true']);
    expect(await flips(project)).toEqual([
      'contact.subscribed import off1@x.test',
      'contact.unsubscribed import on2@x.test',
    ]);
  });

  it('lose their snooze if the row writes the subscription, and keep it otherwise', async () => {
    const project = await api.project();
    const snoozedUntil = new Date(Date.now() + 3_600_000);
    for (const email of ['a@x.test', 'b@x.test'])
      await api.ctx.prisma.contact.create({
        data: { id: newId(), projectId: project.id, email, subscribed: false, snoozedUntil },
      });
    await importFile(project, 'email,subscribed,n\na@x.test,no,1\nb@x.test,,1\n');
    const rows = await api.ctx.prisma.contact.findMany({
      where: { projectId: project.id },
      orderBy: { email: 'asc' },
      select: { subscribed: true, snoozedUntil: true },
    });
    expect(rows).toEqual([
      { subscribed: false, snoozedUntil: null },
      { subscribed: false, snoozedUntil },
    ]);
    expect(await flips(project)).toEqual([]);
  });

  it('of other projects are not changed', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await api.as(other, 'POST', '/contacts', { email: 'a@x.test', data: { plan: 'free' } });
    await importFile(project, 'email,plan,subscribed\na@x.test,pro,no\n');
    expect(await contacts(other)).toEqual({ 'a@x.test': { subscribed: true, data: { plan: 'free' } } });
  });
});

describe('the run', () => {
  it('leaves no file and no rows, and repeated steps change nothing', async () => {
    const project = await api.project();
    const jobId = await queue(project, 'email\na@x.test\nnobody\n');
    const job = { jobId, projectId: project.id };
    await runImport(api.ctx, job);
    expect([
      await api.ctx.prisma.importFile.count({ where: { jobId } }),
      await api.ctx.prisma.importRow.count({ where: { jobId } }),
    ]).toEqual([0, 0]);
    const before = await dump(api.ctx);
    await runImport(api.ctx, job);
    expect(await dump(api.ctx)).toEqual(before);
  });

  it('reads the file again after a crash of PostgreSQL has emptied the rows, and continues at its cursor', async () => {
    const project = await api.project();
    const rows = Array.from({ length: 12_000 }, (_, index) => `c${index}@x.test`);
    const jobId = await queue(project, `email\n${rows.join('\n')}\n`);
    const job = { jobId, projectId: project.id };
    await prepareImport(api.ctx, job);
    await importChunk(api.ctx, job);
    expect(await importStatus(project, jobId)).toMatchObject({ state: 'active', progress: 83, result: null });
    // PostgreSQL empties an unlogged table after a crash.
    await api.ctx.pool.query('TRUNCATE import_rows');
    expect(await importChunk(api.ctx, job)).toBe('lost');
    await runImport(api.ctx, job);
    expect((await importStatus(project, jobId)).result).toMatchObject({
      totalRows: 12_000,
      successCount: 12_000,
      createdCount: 12_000,
      updatedCount: 0,
    });
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(12_000);
  });

  it('unlocks the contacts of the following chunk while the chunk at the cursor waits for a lock', async () => {
    const project = await api.project();
    await importFile(
      project,
      `email\n${Array.from({ length: 10_000 }, (_, index) => `c${index}@x.test`).join('\n')}\n`,
    );
    const jobId = await queue(
      project,
      `email,n\n${Array.from({ length: 10_000 }, (_, index) => `c${index}@x.test,${index}`).join('\n')}\n`,
    );
    const job = { jobId, projectId: project.id };
    await prepareImport(api.ctx, job);
    const holder = await api.ctx.pool.connect();
    let isOver = false;
    const chunk = importChunk(api.ctx, job).finally(() => (isOver = true));
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM contacts WHERE project_id = $1 AND email = $2 FOR UPDATE', [
        project.id,
        'c9@x.test',
      ]);
      // One of these requests needs a contact of the following chunk.
      for (let n = 0; n < 40; n++) {
        expect(
          (await api.as(project, 'POST', '/contacts', { email: 'c9999@x.test', data: { touched: n } })).statusCode,
        ).toBe(200);
        expect(isOver).toBe(false);
      }
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    await chunk;
    await runImport(api.ctx, job);
    expect((await importStatus(project, jobId)).result).toMatchObject({
      totalRows: 10_000,
      updatedCount: 10_000,
      createdCount: 0,
    });
    expect((await contacts(project))['c9999@x.test']?.data).toEqual({ n: 9999, touched: 39 });
  });

  it('takes seconds, not hours, when the planner believes that the file has no rows', async () => {
    const project = await api.project();
    const rows = (note: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `p${index % 15_000}@x.test,${note}`).join('\n');
    for (const note of ['a', 'b']) {
      // The statistics of an ANALYZE after an import, or before an import committed its rows.
      await api.ctx.pool.query(`UPDATE pg_class SET reltuples = 0, relpages = 5000 WHERE relname = 'import_rows'`);
      const result = await importFile(project, `email,note\n${rows(note)}\n`);
      expect(result).toMatchObject({ totalRows: 20_000, createdCount: note === 'a' ? 15_000 : 0, failureCount: 0 });
    }
  });

  it('merges a chunk once when two workers run it concurrently', async () => {
    const project = await api.project();
    const jobId = await queue(
      project,
      `email,subscribed\n${Array.from({ length: 12_000 }, (_, index) => `c${index}@x.test,no`).join('\n')}\n`,
    );
    const job = { jobId, projectId: project.id };
    await Promise.all([runImport(api.ctx, job), runImport(api.ctx, job), runImport(api.ctx, job)]);
    expect((await importStatus(project, jobId)).result).toMatchObject({
      totalRows: 12_000,
      createdCount: 12_000,
      updatedCount: 0,
    });
  });

  it('and concurrent requests for the same addresses create one contact each, without errors', async () => {
    const project = await api.project();
    const emails = Array.from({ length: 300 }, (_, index) => `c${index}@x.test`);
    const jobId = await queue(project, `email,plan\n${emails.map((email) => `${email},pro`).join('\n')}\n`);
    const requests = emails
      .toReversed()
      .map((email) => api.as(project, 'POST', '/contacts', { email, data: { city: 'Rome' } }));
    await runImport(api.ctx, { jobId, projectId: project.id });
    expect((await Promise.all(requests)).every(({ statusCode }) => statusCode === 200 || statusCode === 201)).toBe(
      true,
    );
    expect(Object.values(await contacts(project))).toEqual(
      emails.map(() => ({ subscribed: true, data: { plan: 'pro', city: 'Rome' } })),
    );
    expect((await importStatus(project, jobId)).result).toMatchObject({ totalRows: 300, successCount: 300 });
  });
});
