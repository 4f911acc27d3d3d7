/**
 * Speeds of the mail pipeline: `npx tsx bench/mail.ts`. Each figure is a ratio to a calibration in the same run, because
 * machines differ.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { sign } from 'node:crypto';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { compose, type OutgoingMessage } from '../src/mail/compose.js';
import { compileContent } from '../src/mail/content.js';
import { withUnsubscribeFooter } from '../src/mail/footer.js';
import { createLinks } from '../src/mail/links.js';
import { generateDkimKey, loadDkimKey, signMessage } from '../src/mail/sign.js';
import { createSmtpClient } from '../src/mail/smtp/client.js';
import { sendOver } from '../test/helpers/send-over.js';

const CONNECTIONS = 20;
const SECONDS = 2;
const FILLER =
  'Thank you for being with us. This week there is something new to see, and we would like to show it to you first. ';
const BODY = `<!doctype html><html><body>\n<h1>Hello {{ firstName ?? there }}</h1>\n${`<p>${FILLER}</p>\n`.repeat(12)}<p><a href="{{ data.shop.url }}">To the shop</a></p>\n</body></html>`;
const LOGIC = BODY.replace('</h1>', '</h1>{% if data.plan == "pro" %}<p>{{ data.plan | upcase }}</p>{% endif %}');
const UMLAUTS = BODY.replaceAll('would like', 'möchten');

const links = createLinks({
  secretKey: 'a-secret-key-for-benchmarks-only-0123456789',
  publicUrl: 'https://mail.example.com',
});
const CONTACT = '01890a5d-ac96-774b-bcce-b302099a8057';

function mailOf(html: string): () => Buffer {
  const content = compileContent({
    subject: 'News for {{ firstName ?? you }}',
    html: withUnsubscribeFooter(html, { language: 'en', postalAddress: null }),
  });
  let count = 0;
  return () => {
    count += 1;
    const unsubscribeUrl = links.unsubscribeUrl(CONTACT, CONTACT);
    const message: OutgoingMessage = {
      messageId: `${count}.${CONTACT}@example.com`,
      date: new Date(),
      from: { name: 'Jürgen from Example', address: 'news@example.com' },
      to: { address: `reader${count}@example.net` },
      ...content.render({
        firstName: `Reader ${count}`,
        data: { plan: 'pro', shop: { url: 'https://shop.example.com/?a=1&b=2' } },
        unsubscribeUrl,
      }),
      headers: { 'X-Campaign': CONTACT },
      attachments: [],
      listUnsubscribe: { url: unsubscribeUrl },
      bulk: true,
    };
    return compose(message);
  };
}

/** Repeats synchronous work for `SECONDS`. @returns repetitions per second */
function rate(work: () => unknown): number {
  for (let warm = 0; warm < 500; warm += 1) work();
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < SECONDS * 1000) {
    for (let batch = 0; batch < 20; batch += 1) work();
    count += 20;
  }
  return (count / (performance.now() - begin)) * 1000;
}

/** Repeats asynchronous work in concurrent lanes for `SECONDS`. @returns repetitions per second */
async function rateOf(lanes: number, work: (lane: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() - begin < SECONDS * 1000) {
        await work(lane);
        count += 1;
      }
    }),
  );
  return (count / (performance.now() - begin)) * 1000;
}

/** Replies like an SMTP server and discards the emails. */
function startSink(): Promise<Server> {
  const converse = (socket: Socket) => {
    let inData = false;
    let rest = '';
    socket.on('error', () => socket.destroy());
    socket.write('220 sink\r\n');
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1');
      let answer = '';
      for (;;) {
        const end = inData ? rest.indexOf('\r\n.\r\n') : rest.indexOf('\r\n');
        if (end === -1) break;
        const command = rest.slice(0, 4).toUpperCase();
        rest = rest.slice(end + (inData ? 5 : 2));
        if (!inData && command === 'DATA') answer += '354 Continue\r\n';
        else if (!inData && command === 'EHLO') answer += '250-sink\r\n250-PIPELINING\r\n250 SIZE 50000000\r\n';
        else answer += '250 ok\r\n';
        inData = !inData && command === 'DATA';
      }
      if (answer !== '') socket.write(answer);
    });
  };
  return new Promise((resolve) => {
    const server = createServer({ noDelay: true }, converse);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sink has no port');
  return address.port;
}

async function bareConnections(port: number): Promise<SMTPConnection[]> {
  return Promise.all(
    Array.from(
      { length: CONNECTIONS },
      () =>
        new Promise<SMTPConnection>((resolve, reject) => {
          const connection = new SMTPConnection({
            host: '127.0.0.1',
            port,
            ignoreTLS: true,
            allowInternalNetworkInterfaces: true,
          });
          connection.connect((error) => (error ? reject(error) : resolve(connection)));
        }),
    ),
  );
}

const print = (name: string, perSecond: number, calibration?: number): void =>
  console.log(
    `${name.padEnd(48)}${perSecond.toFixed(0).padStart(8)}/s${calibration === undefined ? '' : `  ${(perSecond / calibration).toFixed(2)} of the calibration`}`,
  );

const [plain, logic, umlauts] = [mailOf(BODY), mailOf(LOGIC), mailOf(UMLAUTS)];
const raw = plain();
console.log(`A mail of ${raw.length} bytes, ${CONNECTIONS} connections, ${SECONDS} s each`);
print('render and compose, plain placeholders', rate(plain));
print('render and compose, Liquid logic', rate(logic));
print('render and compose, quoted-printable', rate(umlauts));
print(
  'links',
  rate(() => links.unsubscribeUrl(CONTACT, CONTACT)),
);

const key = loadDkimKey((await generateDkimKey()).privateKeyPem);
const bare = await rateOf(
  8,
  () =>
    new Promise((resolve, reject) =>
      sign('sha256', raw, key, (error, signature) => (error ? reject(error) : resolve(signature))),
    ),
);
print('calibration: bare RSA-2048 signatures', bare);
const signer = { domain: 'example.com', selector: 'sl', key };
print('sign', await rateOf(8, () => signMessage(raw, signer)), bare);

const sink = await startSink();
const connections = await bareConnections(portOf(sink));
const bareSends = await rateOf(
  CONNECTIONS,
  (lane) =>
    new Promise<void>((resolve, reject) =>
      connections[lane]?.send({ from: 'a@example.com', to: 'b@example.net' }, raw, (error) =>
        error ? reject(error) : resolve(),
      ),
    ),
);
print('calibration: bare SMTPConnection', bareSends);
for (const connection of connections) connection.close();

const transport = createSmtpClient({
  urls: [`smtp://127.0.0.1:${portOf(sink)}?ignoreTLS=true`],
  connections: CONNECTIONS,
});
print(
  'send finished buffers',
  await rateOf(CONNECTIONS * 2, () => sendOver(transport, { from: 'a@example.com', to: 'b@example.net', raw })),
  bareSends,
);
print(
  'render, compose and send',
  await rateOf(CONNECTIONS * 2, () =>
    sendOver(transport, { from: 'a@example.com', to: 'b@example.net', raw: plain() }),
  ),
  bareSends,
);
print(
  'render, compose, sign and send',
  await rateOf(CONNECTIONS * 2, async () =>
    sendOver(transport, { from: 'a@example.com', to: 'b@example.net', raw: await signMessage(plain(), signer) }),
  ),
  bare,
);
await transport.close({ graceMs: 1000 });
sink.close();
