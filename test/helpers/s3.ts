/** A stand-in for an object storage: what S3's HTTP interface does with objects of one bucket, addressed by path. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';

export interface FakeS3 {
  endpoint: string;
  objects: Map<string, { content: Buffer; contentType: string }>;
  /** `PUT /bucket/key`, with its Authorization header. */
  requests: Array<{ line: string; authorization: string }>;
  /** From now on every request is answered so; null: as usual. */
  failWith: (status: number | null) => void;
  /** Whether it says how long an object is; default true. */
  sayLength: (said: boolean) => void;
  stop: () => Promise<void>;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export async function startFakeS3(bucket: string): Promise<FakeS3> {
  const objects: FakeS3['objects'] = new Map();
  const requests: FakeS3['requests'] = [];
  let failure: number | null = null;
  let length = true;

  const respond = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const url = new URL(request.url ?? '/', 'http://s3.test');
    requests.push({
      line: `${request.method} ${decodeURIComponent(url.pathname)}`,
      authorization: request.headers.authorization ?? '',
    });
    const xml = (status: number, text: string): void =>
      void response.writeHead(status, { 'Content-Type': 'application/xml' }).end(text);
    if (failure !== null) return xml(failure, '<Error><Code>AccessDenied</Code><Message>no</Message></Error>');
    const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (name !== bucket) return xml(404, '<Error><Code>NoSuchBucket</Code></Error>');
    const key = rest.join('/');
    const found = objects.get(key);
    if (request.method === 'PUT') {
      objects.set(key, { content: body, contentType: request.headers['content-type'] ?? '' });
      response.writeHead(200, { ETag: '"1"' }).end();
    } else if (request.method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (url.searchParams.get('list-type') === '2') {
      const keys = [...objects.keys()]
        .filter((one) => one.startsWith(url.searchParams.get('prefix') ?? ''))
        .slice(0, 2);
      xml(
        200,
        `<?xml version="1.0"?><ListBucketResult><Name>${bucket}</Name><KeyCount>${keys.length}</KeyCount>${keys.map((one) => `<Contents><Key>${escape(one)}</Key></Contents>`).join('')}</ListBucketResult>`,
      );
    } else if (found)
      response
        .writeHead(200, {
          'Content-Type': found.contentType,
          ...(length && { 'Content-Length': found.content.length }),
        })
        .end(found.content);
    else xml(404, '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>');
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => respond(request, response, Buffer.concat(chunks)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The storage has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    objects,
    requests,
    failWith: (status) => {
      failure = status;
    },
    sayLength: (said) => {
      length = said;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
