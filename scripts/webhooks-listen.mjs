/**
 * `npm run webhooks:listen [port]`: receives webhooks on this machine and prints each delivery.
 *
 *   --secret whsec_…   verifies signatures; may be repeated. Default: WEBHOOK_SECRET, several separated by commas
 *   --status 500       responds with this status. Default: 204, or the response of --forward
 *   --delay 2000       responds after this many milliseconds
 *   --forward URL      sends each delivery to this URL, unchanged, and responds as it does
 *   --host 0.0.0.0     listens on this address. Default: 127.0.0.1
 *
 * It needs nothing installed. Use it for development only: it accepts requests with invalid signatures, to show them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, stripVTControlCharacters } from 'node:util';

const DEFAULT_PORT = 4000;
/** Sendloom sends at most 20 KB. The steps of workflows may send more. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_DELAY_MS = 600_000;
const FORWARD_TIMEOUT_MS = 30_000;
const TOLERANCE_SECONDS = 300;
/** The ids that are remembered to detect repeats. */
const MAX_IDS = 10_000;
/** Headers that belong to one connection, or that `fetch` sets. */
const UNFORWARDED = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
  'upgrade',
]);
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

const interactive = process.stdout.isTTY;
const paint = (code, text) => (interactive ? `\x1b[${code}m${text}\x1b[0m` : text);
const green = (text) => paint(32, text);
const red = (text) => paint(31, text);
const yellow = (text) => paint(33, text);
const dim = (text) => paint(2, text);

/** Control characters other than line breaks and tabs, and those that reverse the direction of text. */
// oxlint-disable-next-line no-control-regex -- these are the characters to remove
const UNPRINTABLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Removes what could move the cursor or change the terminal: received text is not trusted. */
const printable = (text) => stripVTControlCharacters(text).replaceAll(UNPRINTABLE, '\ufffd');

/** An error of the command line. It is printed without a stack. */
class UsageError extends Error {}

function readNumber(name, text, min, max) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`${name} must be a whole number from ${min} to ${max}, but it is "${text}".`);
  return value;
}

function readOptions(args) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        secret: { type: 'string', multiple: true },
        status: { type: 'string' },
        delay: { type: 'string' },
        forward: { type: 'string' },
        host: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error.message);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1)
    throw new UsageError(`Give only one port. There are also: ${positionals.slice(1).join(' ')}.`);
  const secrets =
    values.secret ?? (process.env.WEBHOOK_SECRET ?? '').split(',').filter((secret) => secret.trim() !== '');
  return {
    port: readNumber('The port', positionals[0] ?? String(DEFAULT_PORT), 0, 65_535),
    host: values.host ?? '127.0.0.1',
    keys: secrets.map(readKey),
    status: values.status === undefined ? null : readNumber('--status', values.status, 200, 599),
    delayMs: readNumber('--delay', values.delay ?? '0', 0, MAX_DELAY_MS),
    forwardTo: values.forward === undefined ? null : readUrl(values.forward),
  };
}

function readKey(secret) {
  const base64 = SECRET.exec(secret.trim())?.[1];
  if (base64 === undefined)
    throw new UsageError('A secret is "whsec_" followed by base64. Copy it exactly as it was shown.');
  return Buffer.from(base64, 'base64');
}

function readUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--forward must be a URL with http or https, but it is "${text}".`);
  if (url.username || url.password) throw new UsageError('--forward must not contain a user name or a password.');
  return url;
}

/** Returns the body, or null if it is too large. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // The rest is read and dropped, so that the sender gets the response.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (size > 10 * MAX_BODY_BYTES) throw new Error(`more than ${(10 * MAX_BODY_BYTES) / 1024} KB were sent`);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null;
}

/** Returns what to print about the signature. */
function judgeSignature({ headers }, body, keys) {
  if (keys.length === 0) return yellow('unchecked (no --secret)');
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  const missing = Object.entries({ id, timestamp, signature: signatures }).flatMap(([name, value]) =>
    value ? [] : [`webhook-${name}`],
  );
  if (missing.length > 0) return red(`invalid (without ${missing.join(', ')})`);
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []));
  const matches = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  if (!matches) return red('invalid (another secret, or a changed body)');
  const age = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) return red(`invalid (signed ${age} s ago; is the clock right?)`);
  return green('valid');
}

function formatBody(body) {
  if (body.length === 0) return { type: null, text: dim('(no body)') };
  const text = body.toString('utf8');
  try {
    const parsed = JSON.parse(text);
    return { type: typeof parsed?.type === 'string' ? parsed.type : null, text: JSON.stringify(parsed, null, 2) };
  } catch {
    return { type: null, text };
  }
}

/** Sends the delivery on. Returns the status of the response, or 502 without a response. */
async function forward(url, request, body) {
  const target = new URL(url);
  const query = request.url.indexOf('?');
  if (target.search === '' && query !== -1) target.search = request.url.slice(query);
  const headers = Object.entries(request.headers).filter(([name]) => !UNFORWARDED.has(name));
  try {
    const response = await fetch(target, {
      method: request.method,
      headers,
      body: request.method === 'GET' || request.method === 'HEAD' ? undefined : body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      outcome: `${url.origin}${url.pathname} responded ${response.status}`,
    };
  } catch (error) {
    return {
      status: 502,
      retryAfter: null,
      outcome: red(`${url.origin}${url.pathname} does not respond (${error.cause?.code ?? error.message})`),
    };
  }
}

/** Prints a delivery, and whether its id arrived before. */
function createPrinter(keys) {
  const arrivals = new Map();
  return (request, body) => {
    const id = request.headers['webhook-id'] ?? null;
    const { type, text } = formatBody(body);
    const count = id === null ? 1 : (arrivals.get(id) ?? 0) + 1;
    if (id !== null) {
      // The oldest id is the first key.
      arrivals.delete(id);
      arrivals.set(id, count);
      if (arrivals.size > MAX_IDS) arrivals.delete(arrivals.keys().next().value);
    }
    const time = new Date().toISOString().slice(11, 23);
    const repeated = count > 1 ? yellow(` · repeated (${count} times)`) : '';
    const name = type ?? `${request.method} ${request.url}`;
    console.log(`\n${time} ${paint(1, printable(name))} · ${printable(id ?? 'without webhook-id')}${repeated}`);
    console.log(`  signature: ${judgeSignature(request, body, keys)} · ${body.length} bytes`);
    console.log(printable(text).replaceAll(/^/gm, '  '));
  };
}

async function handle(request, response, { status, delayMs, forwardTo, print }) {
  const body = await readBody(request);
  if (body === null) {
    console.log(red(`\nRejected a body of more than ${MAX_BODY_BYTES / 1024} KB with 413.`));
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  print(request, body);
  const forwarded = forwardTo === null ? null : await forward(forwardTo, request, body);
  if (delayMs > 0) await pause(delayMs);
  const replied = status ?? forwarded?.status ?? 204;
  if (forwarded?.retryAfter) response.setHeader('retry-after', forwarded.retryAfter);
  const sent = response.destroyed
    ? red('the sender closed the connection before the response')
    : `responded ${replied}`;
  console.log(
    dim(`  → ${forwarded ? `${forwarded.outcome}; ` : ''}${sent}${delayMs > 0 ? ` after ${delayMs} ms` : ''}`),
  );
  response.writeHead(replied).end();
}

function main() {
  const { port, host, keys, ...behavior } = readOptions(process.argv.slice(2));
  const print = createPrinter(keys);
  const server = createServer((request, response) => {
    handle(request, response, { ...behavior, print }).catch((error) => {
      console.log(red(`\nA request was not received: ${error.message}.`));
      response.destroy();
    });
  });
  server.once('error', (error) => {
    const reason = error.code === 'EADDRINUSE' ? 'is in use. Give another port.' : `cannot be used (${error.code}).`;
    console.error(`The address ${host}:${port} ${reason}`);
    process.exitCode = 1;
  });
  server.listen(port, host, () => {
    const url = `http://${isIPv6(host) ? `[${host}]` : host}:${server.address().port}/`;
    console.log(`Enter this URL for a webhook endpoint: ${paint(1, url)}`);
    console.log('The API and the worker must run with WEBHOOK_ALLOW_PRIVATE=true, and not with NODE_ENV=production.');
    console.log(
      keys.length > 0
        ? `Signatures are verified with ${keys.length === 1 ? 'the given secret' : `${keys.length} secrets`}.`
        : 'To verify signatures, start again with --secret whsec_… (shown when the endpoint is created) or WEBHOOK_SECRET.',
    );
    console.log('Press Ctrl+C to end.');
  });
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
      // Requests in their delay would keep the process alive.
      process.exit(0);
    });
}

try {
  main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(
    `${error.message}\nUsage: npm run webhooks:listen -- [port] [--secret whsec_…] [--status 500] [--delay 2000] [--forward URL] [--host ADDRESS]`,
  );
  process.exitCode = 1;
}
