/** The options of `POST /contacts/import`: mapping, dry run, segment, existing contacts, delimiter, large files, errors. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deleteInterruptedUploads } from '../../src/domain/imports/file-sql.js';
import { prepareImport } from '../../src/domain/imports/prepare.js';
import { ImportUpload } from '../../src/domain/imports/upload.js';
import { deleteOldRejectedRows } from '../../src/domain/jobs/errors-sql.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { jobHelpers, runImport } from '../helpers/jobs.js';
import { dump } from '../helpers/routes.js';

const api = useApi({ IMPORT_MAX_MB: '8' });
const { upload, uploadFile, queue, importFile, contacts, flips } = jobHelpers(api);

const MEGABYTE = 1024 * 1024;

const Report = z.object({
  totalRows: z.number(),
  successCount: z.number(),
  createdCount: z.number(),
  updatedCount: z.number(),
  skippedCount: z.number(),
  failureCount: z.number(),
  errors: z.array(z.object({ row: z.number(), email: z.string(), error: z.string() })),
});
const Job = z.object({ operation: z.string(), state: z.string(), result: Report });

/** Imports a file with options, which must be completed. @returns the id and the result */
async function run(project: TestProject, content: string, fields: Record<string, string>) {
  const jobId = await queue(project, content, fields);
  await runImport(api.ctx, { jobId, projectId: project.id });
  const job = Job.parse((await api.as(project, 'GET', `/jobs/${jobId}`)).json());
  expect(job.state).toBe('completed');
  const { totalRows, successCount, skippedCount, failureCount } = job.result;
  expect(totalRows).toBe(successCount + skippedCount + failureCount);
  return { ...job, jobId };
}

const errorsOf = async (project: TestProject, jobId: string): Promise<string> =>
  (await api.as(project, 'GET', `/jobs/${jobId}/errors.csv`)).body;

const newSegment = async (project: TestProject, body: Record<string, unknown> = { type: 'STATIC' }) =>
  (await api.as(project, 'POST', '/segments', { name: `S ${newId()}`, ...body })).json<{ id: string }>().id;

const membersOf = async (project: TestProject, id: string): Promise<string[]> =>
  (await api.as(project, 'GET', `/segments/${id}/contacts?sort=email&dir=asc`))
    .json<{ data: Array<{ email: string }> }>()
    .data.map(({ email }) => email)
    .sort();

describe('mapping', () => {
  test('renames, ignores, and types columns', async () => {
    const project = await api.project();
    const mapping = {
      'E-Mail': { to: 'email' },
      Optin: { to: 'subscribed' },
      Number: { to: 'data.customerNumber', type: 'string' },
      Age: { to: 'data.age', type: 'number' },
      VIP: { to: 'data.vip', type: 'boolean' },
      Since: { to: 'data.since', type: 'date' },
      Tags: { to: 'data.tags', type: 'json' },
      Zone: { to: 'timezone' },
      Rest: { to: 'data' },
      Note: { to: null },
    };
    const { result } = await run(
      project,
      'E-Mail,Optin,Number,Age,VIP,Since,Tags,Zone,Rest,Note,plan\n' +
        `A@x.test,no,007,1e3,yes,2030-01-31,"[""a"",1]",Europe/Berlin,"{""id"":1,""k"":{""n"":null}}",secret,1\n`,
      { mapping: JSON.stringify(mapping) },
    );
    expect(result).toMatchObject({ createdCount: 1, failureCount: 0 });
    expect(await contacts(project)).toEqual({
      'a@x.test': {
        subscribed: false,
        data: {
          customerNumber: '007',
          age: 1000,
          vip: true,
          since: '2030-01-31',
          tags: ['a', 1],
          timezone: 'Europe/Berlin',
          k: { n: null },
          plan: 1,
        },
      },
    });
  });

  test('rejects rows whose cells do not have the type of their column, and names the column', async () => {
    const project = await api.project();
    const mapping = {
      n: { to: 'data.n', type: 'number' },
      b: { to: 'data.b', type: 'boolean' },
      d: { to: 'data.d', type: 'date' },
      j: { to: 'data.j', type: 'json' },
    };
    const { result } = await run(
      project,
      [
        'email,n,b,d,j',
        'n@x.test,12 apples,,,',
        'b@x.test,,maybe,,',
        'd@x.test,,,31.01.2030,',
        'j@x.test,,,,{',
        'k@x.test,,,,"""\\ud800"""',
        'ok@x.test,-.5,0,2030-01-31T10:00:00Z,null',
      ].join('\n'),
      { mapping: JSON.stringify(mapping) },
    );
    expect(result.errors.map(({ email, error }) => [email, error])).toEqual([
      ['n@x.test', 'The column "n" must contain a number'],
      ['b@x.test', 'The column "b" must be true, 1, yes, false, 0, or no'],
      ['d@x.test', expect.stringContaining('The column "d" must contain a date in ISO 8601')],
      ['j@x.test', 'The column "j" must contain JSON'],
      ['k@x.test', 'The column "j" must contain JSON that can be stored'],
    ]);
    expect(await contacts(project)).toEqual({
      'ok@x.test': { subscribed: true, data: { n: -0.5, b: false, d: '2030-01-31T10:00:00Z' } },
    });
  });

  test.each([false, true])(
    'ignores time zones that are not known, and counts and names them (dry run: %s)',
    async (dryRun) => {
      const project = await api.project();
      await api.as(project, 'POST', '/contacts', { email: 'known@x.test', timezone: 'Asia/Tokyo' });
      const { jobId, result } = await run(
        project,
        [
          'email,plan,zone',
          'known@x.test,pro,Mars/Base',
          'a@x.test,pro,+02:00',
          'b@x.test,pro,Mars/Base',
          'c@x.test,pro, Europe/Berlin ',
          'no address,pro,Mars/Base',
        ].join('\n'),
        { mapping: JSON.stringify({ zone: { to: 'timezone' } }), dryRun: String(dryRun) },
      );
      expect(result).toMatchObject({ successCount: 4, failureCount: 1 });
      expect((await api.as(project, 'GET', `/jobs/${jobId}`)).json()).toMatchObject({
        result: { unknownTimezoneCount: 3, unknownTimezones: ['Mars/Base', '+02:00'] },
      });
      if (dryRun) return;
      expect(await contacts(project)).toEqual({
        'known@x.test': { subscribed: true, data: { plan: 'pro', timezone: 'Asia/Tokyo' } },
        'a@x.test': { subscribed: true, data: { plan: 'pro' } },
        'b@x.test': { subscribed: true, data: { plan: 'pro' } },
        'c@x.test': { subscribed: true, data: { plan: 'pro', timezone: 'Europe/Berlin' } },
      });
    },
  );

  test('takes the column timezone as the time zone without a mapping, too', async () => {
    const project = await api.project();
    const { jobId } = await run(project, 'email,timezone\na@x.test,Mars/Base\nb@x.test, Europe/Berlin \n', {});
    expect((await api.as(project, 'GET', `/jobs/${jobId}`)).json()).toMatchObject({
      result: { successCount: 2, unknownTimezoneCount: 1, unknownTimezones: ['Mars/Base'] },
    });
    expect(await contacts(project)).toEqual({
      'a@x.test': { subscribed: true, data: {} },
      'b@x.test': { subscribed: true, data: { timezone: 'Europe/Berlin' } },
    });
  });

  test('keeps spaces in quotes of strings, and removes the apostrophe before a formula', async () => {
    const project = await api.project();
    const mapping = JSON.stringify({ s: { to: 'data.s', type: 'string' }, t: { to: 'data.t', type: 'string' } });
    await run(project, `email,s,t\na@x.test,"  two ", one \n'+b@x.test,'=1+1,''@x\n`, { mapping });
    expect(await contacts(project)).toEqual({
      'a@x.test': { subscribed: true, data: { s: '  two ', t: 'one' } },
      '+b@x.test': { subscribed: true, data: { s: '=1+1', t: "'@x" } },
    });
    // Without a mapping, a cell is taken as it is.
    await importFile(project, `email,s\na@x.test,'=1\n`);
    expect((await contacts(project))['a@x.test']).toMatchObject({ data: { s: "'=1" } });
  });

  test('snoozes contacts until a time in the future, and ignores the subscription of an expired snooze', async () => {
    const project = await api.project();
    await importFile(project, 'email\nknown@x.test\n');
    const mapping = JSON.stringify({ until: { to: 'snoozedUntil' } });
    const file =
      'email,subscribed,until\nknown@x.test,,2999-01-01T00:00:00.000Z\nnew@x.test,,2999-01-01T00:00:00.000Z\n' +
      'past@x.test,no,2020-01-01T00:00:00.000Z\nwrong@x.test,,tomorrow\n';
    expect((await run(project, file, { mapping })).result).toMatchObject({ createdCount: 2, failureCount: 1 });
    const rows = () =>
      api.ctx.prisma.contact.findMany({
        where: { projectId: project.id },
        orderBy: { email: 'asc' },
        select: { email: true, subscribed: true, snoozedUntil: true, updatedAt: true },
      });
    const first = await rows();
    const until = new Date('2999-01-01T00:00:00.000Z');
    expect(first).toMatchObject([
      { email: 'known@x.test', subscribed: false, snoozedUntil: until },
      { email: 'new@x.test', subscribed: false, snoozedUntil: until },
      { email: 'past@x.test', subscribed: true, snoozedUntil: null },
    ]);
    expect(await flips(project)).toEqual(['contact.unsubscribed import known@x.test']);
    await run(project, file, { mapping });
    expect(await rows()).toEqual(first);
  });

  test.each<[string, unknown, string]>([
    ['is not JSON', '{', 'mapping custom'],
    ['is not an object', [], 'mapping invalid_type'],
    ['has an unknown type', { email: { to: 'data.a', type: 'money' } }, 'mapping.email.type invalid_string'],
    ['has an unknown target', { email: { to: 'phone' } }, 'mapping.email.to custom'],
    ['has a reserved key', { email: { to: 'data.unsubscribeUrl' } }, 'mapping.email.to custom'],
    ['has an empty key', { email: { to: 'data.' } }, 'mapping.email.to custom'],
    ['maps two columns to one place', { email: { to: 'email' }, n: { to: 'email' } }, 'mapping.n.to custom'],
    ['names a column that the file does not have', { phone: { to: 'data.phone' } }, 'file custom'],
    ['ignores the only email column', { email: { to: null } }, 'file custom'],
  ])('returns 422 if it %s, and changes nothing', async (_, mapping, error) => {
    const project = await api.project();
    const response = await uploadFile(project, 'email,n\na@x.test,1\n', {
      mapping: typeof mapping === 'string' ? mapping : JSON.stringify(mapping),
    });
    expect(refused(response)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(refused(response).errors).toEqual([error]);
    expect(await api.ctx.prisma.job.count({ where: { projectId: project.id } })).toBe(0);
    expect(await api.ctx.prisma.importFile.count({ where: { projectId: project.id } })).toBe(0);
  });
});

describe('the other fields', () => {
  test.each([
    ['dryRun', 'yes'],
    ['onExisting', 'replace'],
    ['delimiter', ':'],
  ])('%s=%s returns 422', async (field, value) => {
    const project = await api.project();
    expect(refused(await uploadFile(project, 'email\n', { [field]: value }))).toMatchObject({
      status: 422,
      errors: [`${field} invalid_string`],
    });
  });

  test('return 422 if they come twice or as a file', async () => {
    const project = await api.project();
    const file = { name: 'file', filename: 'a.csv', content: 'email\n' };
    for (const parts of [
      [file, { name: 'dryRun', content: 'true' }, { name: 'dryRun', content: 'true' }],
      [file, { name: 'mapping', filename: 'm.json', content: '{}' }],
    ])
      expect(refused(await upload(project, parts))).toMatchObject({ status: 422 });
  });

  test('can come before the file', async () => {
    const project = await api.project();
    const response = await upload(project, [
      { name: 'dryRun', content: 'true' },
      { name: 'file', filename: 'a.csv', content: 'email\na@x.test\n' },
    ]);
    const { jobId } = response.json<{ jobId: string }>();
    expect((await api.as(project, 'GET', `/jobs/${jobId}`)).json()).toMatchObject({ operation: 'dryRun' });
  });
});

describe('a dry run', () => {
  const FILE = [
    'email,subscribed,n',
    'known@x.test,no,1',
    'new@x.test,,2',
    'known@x.test,yes,3',
    'wrong,,4',
    `full@x.test,,5`,
    'other@x.test,perhaps,6',
  ].join('\n');

  async function withContacts(): Promise<TestProject> {
    const project = await api.project();
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${key}`, key]));
    await api.as(project, 'POST', '/contacts', { email: 'known@x.test', subscribed: false });
    await api.as(project, 'POST', '/contacts', { email: 'full@x.test', data: full });
    return project;
  }

  test.each(['update', 'skip'])(
    'has the result and the errors of the import (%s), and changes nothing',
    async (onExisting) => {
      const project = await withContacts();
      const segmentId = await newSegment(project);
      const content = async () => [await contacts(project), await flips(project), await membersOf(project, segmentId)];
      const before = await content();
      const dry = await run(project, FILE, { onExisting, segmentId, dryRun: 'true' });
      expect(await content()).toEqual(before);
      const real = await run(project, FILE, { onExisting, segmentId });
      expect([dry.operation, real.operation]).toEqual(['dryRun', 'import']);
      expect(dry.result).toEqual(real.result);
      expect(await errorsOf(project, dry.jobId)).toBe(await errorsOf(project, real.jobId));
      expect(real.result).toMatchObject(
        onExisting === 'update'
          ? { createdCount: 1, updatedCount: 2, skippedCount: 0, failureCount: 3 }
          : { createdCount: 1, updatedCount: 0, skippedCount: 3, failureCount: 2 },
      );
      expect(await content()).not.toEqual(before);
    },
  );
});

describe('onExisting: skip', () => {
  test('does not change existing contacts, and creates the others', async () => {
    const project = await api.project();
    await importFile(project, 'email,plan\nknown@x.test,free\n');
    await run(project, 'email,plan,subscribed\nknown@x.test,pro,no\nnew@x.test,pro,\n', { onExisting: 'skip' });
    expect(await contacts(project)).toEqual({
      'known@x.test': { subscribed: true, data: { plan: 'free' } },
      'new@x.test': { subscribed: true, data: { plan: 'pro' } },
    });
  });
});

describe('segmentId', () => {
  test('adds new and existing contacts, writes entry events once, and counts the members', async () => {
    const project = await api.project();
    await importFile(project, 'email\nknown@x.test\n');
    const segmentId = await newSegment(project, { type: 'STATIC', trackMembership: true });
    const file = 'email\nknown@x.test\nnew@x.test\nwrong\nnew@x.test\n';
    await run(project, file, { segmentId, onExisting: 'skip' });
    await run(project, file, { segmentId });
    expect(await membersOf(project, segmentId)).toEqual(['known@x.test', 'new@x.test']);
    expect((await api.as(project, 'GET', `/segments/${segmentId}`)).json()).toMatchObject({ memberCount: 2 });
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id, name: { endsWith: '.entry' } } })).toBe(
      2,
    );
  });

  test('returns 404 for an unknown segment and one of another project, and 400 for a dynamic one', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'subscribed', operator: 'equals', value: true }] }],
    };
    const before = await dump(api.ctx);
    for (const segmentId of ['x', newId()])
      expect(refused(await uploadFile(project, 'email\n', { segmentId }))).toEqual({
        status: 404,
        code: 'SEGMENT_NOT_FOUND',
      });
    expect(await dump(api.ctx)).toEqual(before);
    expect(refused(await uploadFile(project, 'email\n', { segmentId: await newSegment(other) }))).toMatchObject({
      status: 404,
    });
    expect(
      refused(await uploadFile(project, 'email\n', { segmentId: await newSegment(project, { condition }) })),
    ).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });

  test('that is deleted during the import fails the job', async () => {
    const project = await api.project();
    const segmentId = await newSegment(project);
    const jobId = await queue(project, 'email\na@x.test\n', { segmentId });
    await api.as(project, 'DELETE', `/segments/${segmentId}`);
    await expect(runImport(api.ctx, { jobId, projectId: project.id })).rejects.toThrow('The segment of the import');
    expect(await contacts(project)).toEqual({});
  });
});

describe('delimiter', () => {
  test.each([';', '\t', '|'])('%j is guessed from the header, and can be given', async (delimiter) => {
    const project = await api.project();
    const file = ['email,name', 'a@x.test,"Lovelace; |	Ada"'].join('\n').replaceAll(',', delimiter);
    await importFile(project, file);
    await run(project, file.replace('a@', 'b@'), { delimiter });
    const data = { name: 'Lovelace; |	Ada' };
    expect(await contacts(project)).toEqual({
      'a@x.test': { subscribed: true, data },
      'b@x.test': { subscribed: true, data },
    });
  });

  test('is a comma if the header is valid with commas', async () => {
    const project = await api.project();
    await importFile(project, 'email,a;b\nx@x.test,1;2\n');
    expect(await contacts(project)).toEqual({ 'x@x.test': { subscribed: true, data: { 'a;b': '1;2' } } });
    expect(refused(await uploadFile(project, 'email,name\n', { delimiter: ';' }))).toMatchObject({ status: 422 });
  });
});

describe('a large file', () => {
  const megabytes = (count: number): Buffer => {
    const file = Buffer.alloc(count * MEGABYTE, '\n');
    file.write('email\na@x.test\n');
    file.write('b@x.test', file.length - 9);
    return file;
  };

  test('is stored in parts and read to its end', async () => {
    const project = await api.project();
    const jobId = await queue(project, megabytes(7).toString());
    expect(await api.ctx.prisma.importFile.count({ where: { jobId } })).toBeGreaterThan(5);
    await runImport(api.ctx, { jobId, projectId: project.id });
    expect(Object.keys(await contacts(project))).toEqual(['a@x.test', 'b@x.test']);
    expect(await api.ctx.prisma.importFile.count({ where: { jobId } })).toBe(0);
  });

  test('beyond IMPORT_MAX_MB, or with an invalid end, leaves no parts', async () => {
    const project = await api.project();
    const binary = megabytes(7);
    binary[binary.length - 2] = 0;
    const latin = megabytes(7);
    latin[latin.length - 2] = 0xfc;
    expect(refused(await uploadFile(project, megabytes(9)))).toMatchObject({ status: 413 });
    expect(refused(await uploadFile(project, binary))).toMatchObject({ status: 422 });
    expect(refused(await uploadFile(project, latin))).toMatchObject({ status: 422 });
    expect(await api.ctx.prisma.importFile.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('whose upload was interrupted is deleted later, and others stay', async () => {
    const project = await api.project();
    const jobId = await queue(project, 'email\n');
    const interrupted = new ImportUpload(api.ctx, project.id);
    await interrupted.write(megabytes(2));
    expect(await deleteInterruptedUploads(api.ctx.pool, new Date(Date.now() - 60_000), 100)).toBe(0);
    expect(await deleteInterruptedUploads(api.ctx.pool, new Date(Date.now() + 60_000), 100)).toBe(2);
    const left = await api.ctx.prisma.importFile.findMany({
      where: { projectId: project.id },
      select: { jobId: true },
    });
    expect(left).toEqual([{ jobId }]);
  });

  test('can be canceled before and while it is read', async () => {
    const project = await api.project();
    const jobId = await queue(project, megabytes(3).toString());
    const reading = prepareImport(api.ctx, { jobId, projectId: project.id });
    const response = await api.as(project, 'DELETE', `/jobs/${jobId}`);
    expect(response.json()).toMatchObject({ state: 'cancelled', result: { successCount: 0 } });
    await reading;
    expect(await contacts(project)).toEqual({});
    expect(await prepareImport(api.ctx, { jobId, projectId: project.id })).toBe(false);
    expect(await api.ctx.prisma.importRow.count({ where: { jobId } })).toBe(0);
  });
});

describe('errors.csv of an import', () => {
  const FILE =
    'email;name;n\nok@x.test;A;1\nwrong;"B; ""b""";2\n;C;3\nd@x.test;D;4;5\n"e@x.test;E;6\nshort\nf@x.test;=F;x\n';
  const mapping = JSON.stringify({ n: { to: 'data.n', type: 'number' } });

  test('has the original columns and delimiter, and the reason', async () => {
    const project = await api.project();
    const { jobId } = await run(project, FILE, { mapping });
    expect((await errorsOf(project, jobId)).split('\r\n')).toEqual([
      'email;name;n;sendloom_error',
      'wrong;"B; ""b""";2;This is not an email address',
      ';C;3;The email is missing',
      'd@x.test;D;4;"The row has 4 cells, the header 3";5',
      '"""e@x.test";E;6;A quote is not closed',
      'short;;;This is not an email address',
      'f@x.test;=F;x;"The column ""n"" must contain a number"',
      '',
    ]);
  });

  test('can be corrected and imported again with the same options', async () => {
    const project = await api.project();
    const { jobId } = await run(project, FILE, { mapping });
    const corrected = (await errorsOf(project, jobId))
      .replace('wrong;', 'b@x.test;')
      .replace('\r\n;C', '\r\nc@x.test;C')
      .replace(';5\r\n', ';\r\n')
      .replace('"""e@x.test"', 'e@x.test')
      .replace('=F;x', '=F;7');
    const again = await run(project, corrected, { mapping });
    expect(again.result).toMatchObject({ createdCount: 5, failureCount: 1 });
    expect(await contacts(project)).toMatchObject({
      'b@x.test': { data: { name: 'B; "b"', n: 2 } },
      'c@x.test': { data: { name: 'C', n: 3 } },
      'd@x.test': { data: { name: 'D', n: 4 } },
      'e@x.test': { data: { name: 'E', n: 6 } },
      'f@x.test': { data: { name: '=F', n: 7 } },
    });
    expect((await contacts(project))['b@x.test']?.data).not.toHaveProperty('sendloom_error');
    // The reason of the first import is replaced.
    expect((await errorsOf(project, again.jobId)).split('\r\n')).toEqual([
      'email;name;n;sendloom_error',
      'short;;;This is not an email address',
      '',
    ]);
  });

  test('has the rows that existing contacts cannot take', async () => {
    const project = await api.project();
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${key}`, key]));
    await api.as(project, 'POST', '/contacts', { email: 'full@x.test', data: full });
    const { jobId } = await run(project, 'subscribed,email,a,b\nno,Full@x.test,007,1.5\n', {});
    expect(await errorsOf(project, jobId)).toBe(
      'subscribed,email,a,b,sendloom_error\r\nfalse,full@x.test,007,1.5,' +
        "A contact's data has at most 100 keys and 64 KiB\r\n",
    );
  });

  test('has all errors, and the first 1,000 with their addresses after 30 days', async () => {
    const project = await api.project();
    const { jobId } = await run(project, `email,n\n${'wrong,1\n'.repeat(1200)}`, {});
    expect((await errorsOf(project, jobId)).split('\r\n')).toHaveLength(1202);
    expect(await deleteOldRejectedRows(api.ctx.pool, new Date(Date.now() - 60_000), 5000)).toBe(0);
    expect(await deleteOldRejectedRows(api.ctx.pool, new Date(Date.now() + 60_000), 5000)).toBeGreaterThan(1199);
    const rest = (await errorsOf(project, jobId)).split('\r\n');
    expect(rest).toHaveLength(1002);
    expect(rest.slice(0, 2)).toEqual(['email,sendloom_error', 'wrong,This is not an email address']);
  });
});
