/**
 * Time to compose one email: `npx tsx bench/compose.ts`. The email has a text and an HTML part, two variables, and an
 * unsubscribe link; the tracked one also has 12 links and a pixel. Each figure includes the email's tokens.
 */
import { sign } from 'node:crypto';
import { compileMessage, type EmailValues, type MessageSource } from '../src/mail/compiled-message.js';
import { withUnsubscribeFooter } from '../src/mail/footer.js';
import { createLinks } from '../src/mail/links.js';
import { generateDkimKey, loadDkimKey, signMessage } from '../src/mail/sign.js';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const SIGNING_LANES = 8;
const CONTACT = '01890a5d-ac96-774b-bcce-b302099a8057';
const FILLER =
  'Thank you for being with us. This week there is something new to see, and we would like to show it to you first. ';
const LINKS = Array.from(
  { length: 12 },
  (_, index) =>
    `<p><a href="https://shop.example.com/products/${index}?utm_source=newsletter&amp;n=${index}">Product ${index}</a></p>\n`,
).join('');
const bodyOf = (content: string): string =>
  `<!doctype html><html><body>\n<h1>Hello {{ firstName ?? there }}</h1>\n${content}<p>Your plan: {{ data.plan }}</p>\n</body></html>`;

const links = createLinks({
  secretKey: 'a-secret-key-for-benchmarks-only-0123456789',
  publicUrl: 'https://mail.example.com',
  mailHost: 'mail.example.com',
});

const messageOf = (html: string): MessageSource => ({
  messageIdDomain: 'example.com',
  from: { name: 'Jürgen from Example', address: 'news@example.com' },
  subject: 'News for {{ firstName ?? you }}',
  html: withUnsubscribeFooter(html, { language: 'en', postalAddress: null }),
  headers: { 'X-Campaign': CONTACT },
  attachments: [],
  bulk: true,
  identity: {
    feedbackId: `${CONTACT}:${CONTACT.replace(/7$/, '8')}:marketing:sendloom`,
    list: { id: `campaigns.${CONTACT}.mail.example.com`, name: 'Jürgen from Example' },
  },
});

/** Returns a function that composes the email of the next recipient. */
function composerOf(html: string, { tracked, firstName = 'Ada' }: { tracked: boolean; firstName?: string }) {
  const message = compileMessage(messageOf(html), links.tracking);
  const date = new Date();
  let count = 0;
  return (): Buffer => {
    count += 1;
    const id = `01890a5d-ac96-774b-bcce-${count.toString(16).padStart(12, '0')}`;
    const listUnsubscribe = links.unsubscribeTargets({ contactId: CONTACT, emailId: id });
    const email: EmailValues = {
      id,
      date,
      to: { address: `reader${count}@example.net` },
      variables: { firstName, data: { plan: 'pro' }, unsubscribeUrl: listUnsubscribe.url },
      tracked,
      listUnsubscribe,
    };
    return message.write(email);
  };
}

/** Prints the time per repetition in µs. */
function measure(name: string, work: () => Buffer): void {
  const { length } = work();
  for (let warm = 0; warm < 20_000; warm += 1) work();
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < SECONDS * 1000) {
    for (let batch = 0; batch < 100; batch += 1) work();
    count += 100;
  }
  const us = ((performance.now() - begin) / count) * 1000;
  console.log(`${name.padEnd(52)}${us.toFixed(1).padStart(8)} µs  ${length} bytes`);
}

/** Repeats asynchronous work in concurrent lanes. @returns repetitions per second */
async function rateOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let count = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - begin < SECONDS * 1000) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: SIGNING_LANES }, lane));
  return (count / (performance.now() - begin)) * 1000;
}

const TEXT = bodyOf(`<p>${FILLER}</p>\n`.repeat(12));
const TRACKED = bodyOf(`<p>${FILLER}</p>\n`.repeat(6) + LINKS);
const LOGIC = '{% if data.plan == "pro" %}!{% endif %}';
measure('rendered by the engine, untracked', composerOf(TEXT + LOGIC, { tracked: false }));
measure('rendered by the engine, tracked', composerOf(TRACKED + LOGIC, { tracked: true }));
measure('compiled, untracked', composerOf(TEXT, { tracked: false }));
measure('compiled, tracked', composerOf(TRACKED, { tracked: true }));
measure('compiled, tracked, non-ASCII value', composerOf(TRACKED, { tracked: true, firstName: 'Jürgen' }));
measure('compiled, untracked, base64', composerOf(TEXT.replaceAll('to', 'こんにちは世界'), { tracked: false }));

const key = loadDkimKey((await generateDkimKey()).privateKeyPem);
const compose = composerOf(TRACKED, { tracked: true });
const data = compose();
const bare = await rateOf(
  () =>
    new Promise((resolve, reject) =>
      sign('sha256', data, key, (error, signature) => (error ? reject(error) : resolve(signature))),
    ),
);
const signer = { domain: 'example.com', selector: 'sl', key };
const signed = await rateOf(() => signMessage(compose(), signer, { isBodyRelaxed: true }));
console.log(`RSA-2048 signatures alone: ${bare.toFixed(0)}/s`);
console.log(`compiled, tracked, and signed: ${signed.toFixed(0)}/s, ${(signed / bare).toFixed(2)} of signing alone`);
