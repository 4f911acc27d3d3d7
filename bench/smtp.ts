/**
 * Emails per second of the SMTP client, next to the least that a client can do and to nodemailer's connection, in the
 * same run and into the same sink, which offers PIPELINING in a process of its own.
 *
 *   npx tsx bench/smtp.ts [emails] [rounds]          50000 3 by default
 */
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { createSmtpClient } from '../src/mail/smtp/client.js';
import type { SmtpJob } from '../src/mail/smtp/job.js';
import { sendBare } from './bare-smtp.js';
import { printTable, startSink, type Sink } from './harness.js';

const [emails = 50_000, rounds = 3] = process.argv.slice(2).map(Number);
const CONNECTIONS = 50;
const SLOW_DELAY_MS = 20;
const CONTENT = Buffer.from(
  `From: a@example.com\r\nTo: b@example.net\r\nSubject: x\r\n\r\n${'A line of text, as an email has about thirty of them.\r\n'.repeat(34)}`,
);

interface Contestant {
  name: string;
  send: (port: number, count: number) => Promise<void>;
}

async function sendWithClient(port: number, count: number): Promise<void> {
  const client = createSmtpClient({ urls: [`smtp://127.0.0.1:${port}?ignoreTLS=true`], connections: CONNECTIONS });
  // The journal of a worker.
  client.onHandOver(() => undefined);
  let left = count;
  let missing = count;
  await new Promise<void>((resolve, reject) => {
    const onResult: SmtpJob['onResult'] = (result) => {
      if (result.outcome !== 'accepted') reject(new Error(result.error));
      missing -= 1;
      if (missing === 0) resolve();
    };
    const next = (): SmtpJob | null =>
      left-- > 0 ? { from: 'a@example.com', to: 'b@example.net', content: CONTENT, onResult } : null;
    client.addSource({ next }, { priority: 'bulk' });
  });
  await client.close({ graceMs: 1000 });
}

async function sendWithNodemailer(port: number, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    const connection = new SMTPConnection({
      host: '127.0.0.1',
      port,
      ignoreTLS: true,
      allowInternalNetworkInterfaces: true,
    });
    await new Promise<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
    while (left-- > 0) {
      await new Promise<void>((resolve, reject) =>
        connection.send({ from: 'a@example.com', to: 'b@example.net', size: CONTENT.length }, CONTENT, (error) =>
          error ? reject(error) : resolve(),
        ),
      );
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

const CONTESTANTS: Contestant[] = [
  {
    name: 'bare pipelined connections',
    send: (port, count) => sendBare({ port, connections: CONNECTIONS, emails: count, content: CONTENT }),
  },
  { name: 'SMTP client', send: sendWithClient },
  { name: 'nodemailer SMTPConnection', send: sendWithNodemailer },
];

interface Figures {
  rate: number;
  cpuUs: number;
  sinkCpuUs: number;
}

async function measure(sink: Sink, { send }: Contestant, count: number): Promise<Figures> {
  await sink.reset();
  const sinkBefore = (await sink.read()).cpuUs;
  const before = process.cpuUsage();
  await send(sink.port, count);
  const { user, system } = process.cpuUsage(before);
  const after = await sink.read();
  if (after.count !== count) throw new Error(`The sink received ${after.count} of ${count} emails`);
  return {
    rate: (count / (after.last - after.first)) * 1000,
    cpuUs: (user + system) / count,
    sinkCpuUs: (after.cpuUs - sinkBefore) / count,
  };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function compare(sink: Sink, title: string, count: number): Promise<void> {
  const figures = CONTESTANTS.map((): Figures[] => []);
  // The contestants take turns, so that a slow minute of the machine affects all of them.
  for (let round = 0; round < rounds; round++)
    for (const [index, contestant] of CONTESTANTS.entries())
      figures[index]?.push(await measure(sink, contestant, count));
  const rates = figures.map((mine) => median(mine.map(({ rate }) => rate)));
  console.log(title);
  printTable(
    CONTESTANTS.map(({ name }, index) => {
      const mine = figures[index] ?? [];
      const rate = rates[index] ?? 0;
      const all = mine.map((figure) => figure.rate);
      return {
        client: name,
        'emails/s': Math.round(rate),
        'of bare': (rate / (rates[0] ?? 1)).toFixed(2),
        range: `${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)}`,
        'CPU µs per email': median(mine.map(({ cpuUs }) => cpuUs)).toFixed(1),
        'sink µs': median(mine.map(({ sinkCpuUs }) => sinkCpuUs)).toFixed(1),
      };
    }),
  );
}

const { sink, child } = await startSink();
console.log(`${emails} emails of ${CONTENT.length} bytes, ${CONNECTIONS} connections, median of ${rounds} rounds\n`);
for (const contestant of CONTESTANTS) await measure(sink, contestant, 2000);
await compare(sink, 'A server that replies immediately', emails);
await sink.delay(SLOW_DELAY_MS);
await compare(sink, `A server that replies after ${SLOW_DELAY_MS} ms`, Math.ceil(emails / 10));
child.disconnect();
