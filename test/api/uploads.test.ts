import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { parseEnvironment } from '../../src/config.js';
import { removeUploads } from '../../src/domain/uploads/removals.js';
import { useApi, type TestApi, type TestProject } from '../helpers/api.js';
import { IMAGES } from '../helpers/images.js';
import { form } from '../helpers/jobs.js';
import { startFakeS3 } from '../helpers/s3.js';
import { newUser, ownProject } from '../helpers/session.js';

const MEGABYTES_10 = 10 * 1024 * 1024;
const folder = mkdtempSync(path.join(tmpdir(), 'sendloom-uploads-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Reply {
  url: string;
  key: string;
  filename: string;
  contentType: string;
  size: number;
}

const upload = (
  api: TestApi,
  project: Pick<TestProject, 'secret'>,
  content: Buffer,
  { filename = 'logo.png', name = 'image' } = {},
) => {
  const { payload, headers } = form([{ name, filename, content }]);
  return api.app.inject({
    method: 'POST',
    url: '/uploads/image',
    headers: { ...headers, authorization: `Bearer ${project.secret}` },
    payload,
  });
};
const get = (api: TestApi, url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'GET', url: new URL(url, 'http://x.test').pathname, headers });
const code = (response: { statusCode: number; json: () => { error?: { code: string } } }): unknown[] => [
  response.statusCode,
  response.json().error?.code,
];

/** A JPEG of this many bytes: a comment segment is at most 65,535 long. */
function jpegOf(size: number): Buffer {
  const pieces = [IMAGES.jpg.subarray(0, 2)];
  for (let left = size - IMAGES.jpg.length; left > 0;) {
    const length = Math.min(left > 65_537 && left < 65_541 ? 60_000 : left, 65_537);
    const comment = Buffer.alloc(length, 0x20);
    comment.writeUInt16BE(0xfffe, 0);
    comment.writeUInt16BE(length - 2, 2);
    pieces.push(comment);
    left -= length;
  }
  return Buffer.concat([...pieces, IMAGES.jpg.subarray(2)]);
}

describe('POST /uploads/image, on the local disk', () => {
  const api = useApi({ UPLOADS_URL: `file:${folder}`, PUBLIC_URL: 'https://mail.example.test' });
  let project: TestProject;
  beforeEach(async () => {
    project = await api.project();
  });

  test.each([
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
  ] as const)(
    'accepts %s by its content, with any file name, and returns its public URL',
    async (format, contentType) => {
      const content = IMAGES[format];
      const response = await upload(api, project, content, { filename: '../../etc/my logo.svg' });
      const reply = response.json<Reply>();
      expect([response.statusCode, reply]).toEqual([
        201,
        {
          url: `https://mail.example.test/uploads/${reply.key}`,
          key: expect.stringMatching(new RegExp(`^${project.id}/[0-9a-f-]{36}\\.${format}$`)),
          filename: 'my logo.svg',
          contentType,
          size: content.length,
        },
      ]);
      const served = await get(api, reply.url);
      expect([
        served.statusCode,
        served.headers['content-type'],
        Number(served.headers['content-length']),
        served.rawPayload.equals(content),
      ]).toEqual([200, contentType, content.length, true]);
    },
  );

  test('is public, with headers that prevent browsers from using it as anything else', async () => {
    const { url, key } = (await upload(api, project, IMAGES.png)).json<Reply>();
    const { headers } = await get(api, url);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': `inline; filename="${key.split('/')[1]}"`,
    });
    for (const known of [String(headers.etag), `W/${String(headers.etag)}`, `"other", ${String(headers.etag)}`, '*'])
      expect((await get(api, url, { 'if-none-match': known })).statusCode, known).toBe(304);
    expect((await get(api, url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    const head = await api.app.inject({ method: 'HEAD', url: `/uploads/${key}` });
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, String(IMAGES.png.length), '']);
  });

  test('accepts an image of 10 MB, and returns 413 for one byte more', async () => {
    expect((await upload(api, project, jpegOf(MEGABYTES_10))).statusCode).toBe(201);
    expect(
      (await upload(api, project, Buffer.concat([IMAGES.png, randomBytes(MEGABYTES_10 - IMAGES.png.length)])))
        .statusCode,
    ).toBe(201);
    expect(code(await upload(api, project, jpegOf(MEGABYTES_10 + 1)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(code(await upload(api, project, jpegOf(MEGABYTES_10 + 1024 * 1024)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('anything else returns 415 and stores no file: SVG, a page named .png, an image before an archive', async () => {
    for (const content of [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
      Buffer.from('<html></html>'),
      Buffer.concat([IMAGES.png, Buffer.from('PK\x05\x06')]),
    ]) {
      expect(code(await upload(api, project, content))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    expect(code(await upload(api, project, Buffer.alloc(0)))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(readdirSync(folder)).not.toContain(project.id);
  });

  test('a form without the part `image` returns 422, and no form at all 415', async () => {
    const response = await upload(api, project, IMAGES.png, { name: 'file' });
    expect([...code(response), response.json<{ error: { errors: unknown } }>().error.errors]).toEqual([
      422,
      'VALIDATION_ERROR',
      [expect.objectContaining({ field: 'image', code: 'required' })],
    ]);
    expect(code(await api.as(project, 'POST', '/uploads/image', { image: 'x' }))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  test('an image part without a file name is accepted if declared as bytes, and is named by its key', async () => {
    const { payload, headers } = form([{ name: 'image', filename: 'x', content: IMAGES.png }]);
    const nameless = Buffer.from(
      payload
        .toString('latin1')
        .replace('; filename="x"\r\nContent-Type: text/csv', '\r\nContent-Type: application/octet-stream'),
      'latin1',
    );
    const response = await api.app.inject({
      method: 'POST',
      url: '/uploads/image',
      headers: { ...headers, authorization: `Bearer ${project.secret}` },
      payload: nameless,
    });
    const reply = response.json<Reply>();
    expect([response.statusCode, reply.filename, reply.size], response.body).toEqual([
      201,
      reply.key.split('/')[1],
      IMAGES.png.length,
    ]);
  });

  test('requires the secret key or a session with its project', async () => {
    const { payload, headers } = form([{ name: 'image', filename: 'a.png', content: IMAGES.png }]);
    const send = (more: Record<string, string>) =>
      api.app.inject({ method: 'POST', url: '/uploads/image', headers: { ...headers, ...more }, payload });
    expect(code(await send({}))).toEqual([401, 'INVALID_API_KEY']);
    expect(code(await send({ authorization: `Bearer ${project.public}` }))).toEqual([401, 'INVALID_API_KEY']);
    const user = await newUser(api);
    const own = await ownProject(user);
    expect((await send({ cookie: `__Host-token=${user.token}`, 'x-project-id': own.id })).statusCode).toBe(201);
    expect(code(await send({ cookie: `__Host-token=${user.token}`, 'x-project-id': project.id }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });

  test('no path leads out of the folder, or to anything but an upload', async () => {
    const { key } = (await upload(api, project, IMAGES.png)).json<Reply>();
    const [, file = ''] = key.split('/');
    const paths = [
      `/uploads/${project.id}/${file.replace('.png', '.svg')}`,
      `/uploads/${project.id}/${file.replace('.png', '.gif')}`,
      `/uploads/${project.id}/..%2f${project.id}%2f${file}`,
      `/uploads/..%2f..%2fetc/passwd`,
      `/uploads/%2e%2e/${file}`,
      `/uploads/${project.id.toUpperCase()}/${file}`,
      `/uploads/${project.id}/%00${file}`,
      `/uploads/${project.id}/.`,
      `/uploads/${project.id}`,
      '/uploads/../package.json',
    ];
    for (const url of paths) expect((await api.app.inject({ method: 'GET', url })).statusCode, url).toBe(404);
    expect(code(await api.app.inject({ method: 'GET', url: `/uploads/${project.id}/${project.id}.png` }))).toEqual([
      404,
      'UPLOAD_NOT_FOUND',
    ]);
  });

  test('twenty concurrent uploads are all complete, and no partial file is left', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => upload(api, project, jpegOf(200_000))));
    expect(new Set(replies.map((reply) => reply.json<Reply>().key)).size).toBe(20);
    expect(readdirSync(path.join(folder, project.id)).filter((name) => !/^[0-9a-f-]{36}\.jpg$/.test(name))).toEqual([]);
  });

  test('is deleted with its project; later uploads are deleted by the next sweep, and the note last', async () => {
    const user = await newUser(api);
    const own = await ownProject(user);
    const { url, key } = (await upload(api, own, IMAGES.gif)).json<Reply>();
    expect((await user.call('DELETE', `/users/@me/projects/${own.id}`)).statusCode).toBe(204);
    expect((await get(api, url)).statusCode).toBe(404);
    // An upload that was in flight.
    await api.ctx.storage.put(key, IMAGES.gif, 'image/gif');
    await removeUploads(api.ctx);
    expect((await get(api, url)).statusCode).toBe(404);
    const noted = () => api.ctx.prisma.uploadRemoval.count({ where: { folder: own.id } });
    expect(await noted()).toBe(1);
    await removeUploads(api.ctx, { settledSeconds: 0 });
    expect(await noted()).toBe(0);
  });

  test('stays when its project is reset, because sent emails show it', async () => {
    const user = await newUser(api);
    const own = await ownProject(user);
    const { url } = (await upload(api, own, IMAGES.gif)).json<Reply>();
    expect((await user.call('POST', `/users/@me/projects/${own.id}/reset`)).statusCode).toBe(200);
    expect((await get(api, url)).statusCode).toBe(200);
  });
});

const s3 = await startFakeS3('images');
afterAll(() => s3.stop());

describe('POST /uploads/image, with an object storage', () => {
  process.env.AWS_ACCESS_KEY_ID = 'AKIATEST';
  process.env.AWS_SECRET_ACCESS_KEY = 'test-secret';
  const api = useApi({ UPLOADS_URL: `s3://images/mail?endpoint=${encodeURIComponent(s3.endpoint)}&region=eu-test-1` });
  beforeEach(() => {
    s3.failWith(null);
    s3.requests.splice(0);
  });

  test('is stored with its prefix and type by a signed request of the region, and served by the API', async () => {
    const project = await api.project();
    const { url, key } = (await upload(api, project, IMAGES.webp)).json<Reply>();
    const object = s3.objects.get(`mail/${key}`);
    expect([object?.contentType, object?.content.equals(IMAGES.webp)]).toEqual(['image/webp', true]);
    expect(s3.requests).toEqual([
      {
        line: `PUT /images/mail/${key}`,
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-test-1\/s3\/aws4_request/,
        ),
      },
    ]);
    const served = await get(api, url);
    expect([
      served.statusCode,
      served.headers['content-type'],
      served.headers['x-content-type-options'],
      served.rawPayload.equals(IMAGES.webp),
    ]).toEqual([200, 'image/webp', 'nosniff', true]);
    s3.sayLength(false);
    const unmeasured = await get(api, url);
    s3.sayLength(true);
    expect([unmeasured.statusCode, unmeasured.rawPayload.equals(IMAGES.webp)]).toEqual([200, true]);
    expect(code(await get(api, url.replace(/[0-9a-f]{12}\.webp$/, '000000000000.webp')))).toEqual([
      404,
      'UPLOAD_NOT_FOUND',
    ]);
    expect((await api.app.inject('/config')).json<{ features: { storage: boolean } }>().features.storage).toBe(true);
  });

  test('is deleted with its project, page by page, and other projects keep theirs', async () => {
    const user = await newUser(api);
    const [own, other] = [await ownProject(user), await ownProject(user)];
    for (let count = 0; count < 5; count++) await upload(api, own, IMAGES.png);
    const { key } = (await upload(api, other, IMAGES.png)).json<Reply>();
    expect((await user.call('DELETE', `/users/@me/projects/${own.id}`)).statusCode).toBe(204);
    expect([...s3.objects.keys()].filter((name) => name.includes(own.id))).toEqual([]);
    expect(s3.objects.has(`mail/${key}`)).toBe(true);
  });

  test("a failing storage returns 503; a deleted project's uploads are deleted after it recovers", async () => {
    const user = await newUser(api);
    const own = await ownProject(user);
    const { url, key } = (await upload(api, own, IMAGES.png)).json<Reply>();
    s3.failWith(403);
    expect(code(await upload(api, own, IMAGES.png))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(code(await get(api, url))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await user.call('DELETE', `/users/@me/projects/${own.id}`)).statusCode).toBe(204);
    s3.failWith(null);
    expect(s3.objects.has(`mail/${key}`)).toBe(true);
    await removeUploads(api.ctx);
    expect(s3.objects.has(`mail/${key}`)).toBe(false);
  });
});

describe('UPLOADS_URL', () => {
  test('that is neither a folder nor a bucket is rejected at startup, with its name', () => {
    for (const url of [
      'ftp://x/y',
      's3://',
      'file:',
      'uploads',
      's3://key:secret@bucket',
      's3://bucket?endpoint=nowhere',
    ])
      expect(() => parseEnvironment({ UPLOADS_URL: url }), url).toThrow(/UPLOADS_URL: /);
    for (const url of [
      'file:.data/uploads',
      'file:///srv/uploads',
      's3://bucket',
      's3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=x',
    ])
      expect(parseEnvironment({ UPLOADS_URL: url }).UPLOADS_URL).toBe(url);
  });
});
