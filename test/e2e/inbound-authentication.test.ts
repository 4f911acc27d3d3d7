/** SPF, DKIM, and DMARC results of inbound mail, checked with real signatures against a real DNS server. */
import { generateKeyPairSync } from 'node:crypto';
import { dkimSign } from 'mailauth';
import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { authenticateMail } from '../../src/inbound/authentication.js';
import { useInbound } from '../helpers/inbound.js';

const inbound = await useInbound();
const { zone, receiving, deliver, eventsOf } = inbound;

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'der' },
});

const dkimRecord = `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`;

/** Publishes the records of a sender domain. By default, mail from this machine passes all checks. */
function publishSender(
  domain: string,
  { spf = 'v=spf1 ip4:127.0.0.1 -all', dmarc = 'v=DMARC1; p=reject' }: { spf?: string; dmarc?: string } = {},
): void {
  zone.publish([
    { name: domain, type: 'TXT', value: spf },
    { name: `s1._domainkey.${domain}`, type: 'TXT', value: dkimRecord },
    { name: `_dmarc.${domain}`, type: 'TXT', value: dmarc },
  ]);
}

const mailFrom = (from: string, headers = ''): string =>
  `From: ${from}\r\nTo: help@y.test\r\nSubject: s\r\nMessage-ID: <${newId()}@x.test>\r\n${headers}\r\nHello\r\n`;

async function signed(domain: string, mail: string): Promise<string> {
  const signature = { signingDomain: domain, selector: 's1', privateKey };
  // The types require the fields of the signature here as well.
  const { signatures } = await dkimSign(mail, {
    ...signature,
    canonicalization: 'relaxed/relaxed',
    signatureData: [signature],
    // By default, mailauth reads the clock twice: for what it signs, and for what it writes.
    signTime: new Date(),
  });
  return signatures + mail;
}

/** Delivers a mail to a new project, and returns the results in its event. */
async function resultsOf(sender: string, mail: string): Promise<unknown> {
  const project = await receiving();
  expect(await deliver(sender, `help@${project.domain}`, mail)).toBe('250 Accepted');
  const events = await eventsOf(project);
  expect(events).toHaveLength(1);
  return events[0]?.data.authentication;
}

let domain: string;
beforeEach(() => {
  domain = `sender-${newId()}.test`;
});

describe('`email.received` has in `authentication`', () => {
  test('pass for all three if a signed mail comes from a permitted server', async () => {
    publishSender(domain);
    expect(await resultsOf(`ann@${domain}`, await signed(domain, mailFrom(`ann@${domain}`)))).toEqual({
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'pass',
    });
  });

  test('fail for SPF and DMARC if the server is not permitted and the mail is not signed', async () => {
    publishSender(domain, { spf: 'v=spf1 ip4:192.0.2.1 -all' });
    expect(await resultsOf(`ann@${domain}`, mailFrom(`ann@${domain}`))).toEqual({
      spf: 'fail',
      dkim: 'none',
      dmarc: 'fail',
    });
  });

  test('softfail for SPF if the domain says so, and DMARC passes by a signature alone', async () => {
    publishSender(domain, { spf: 'v=spf1 ~all' });
    expect(await resultsOf(`ann@${domain}`, await signed(domain, mailFrom(`ann@${domain}`)))).toEqual({
      spf: 'softfail',
      dkim: 'pass',
      dmarc: 'pass',
    });
  });

  test.each([
    ['body', (mail: string) => mail.replace('Hello', 'Send money')],
    ['subject', (mail: string) => mail.replace('Subject: s', 'Subject: t')],
  ])('fail for DKIM if the %s was changed after signing', async (_part, tamper) => {
    publishSender(domain, { spf: 'v=spf1 -all' });
    expect(await resultsOf(`ann@${domain}`, tamper(await signed(domain, mailFrom(`ann@${domain}`))))).toEqual({
      spf: 'fail',
      dkim: 'fail',
      dmarc: 'fail',
    });
  });

  test('fail for DMARC if SPF and DKIM pass for a domain other than the one in From', async () => {
    publishSender(domain);
    const attacker = `attacker-${newId()}.test`;
    publishSender(attacker);
    expect(await resultsOf(`x@${attacker}`, await signed(attacker, mailFrom(`ann@${domain}`)))).toEqual({
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'fail',
    });
  });

  test('none for all three if the sender publishes no records and signs nothing', async () => {
    expect(await resultsOf(`ann@${domain}`, mailFrom(`ann@${domain}`))).toEqual({
      spf: 'none',
      dkim: 'none',
      dmarc: 'none',
    });
  });

  test('permerror for DMARC if From has two addresses', async () => {
    publishSender(domain);
    const mail = mailFrom(`ann@${domain}, bob@${domain}`);
    expect(await resultsOf(`ann@${domain}`, await signed(domain, mail))).toEqual({
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'permerror',
    });
  });

  test('policy for DKIM if a mail has more signatures than any sender needs', async () => {
    publishSender(domain);
    const mail = mailFrom(
      `ann@${domain}`,
      'DKIM-Signature: v=1; a=rsa-sha256; d=x.test; s=s1; bh=A; b=A\r\n'.repeat(11),
    );
    expect(await resultsOf(`ann@${domain}`, mail)).toEqual({ spf: 'pass', dkim: 'policy', dmarc: 'permerror' });
  });

  test('temperror if the DNS fails, and the mail is accepted', async () => {
    publishSender(domain);
    for (const name of [domain, `s1._domainkey.${domain}`, `_dmarc.${domain}`]) zone.become('failing', name);
    expect(await resultsOf(`ann@${domain}`, await signed(domain, mailFrom(`ann@${domain}`)))).toEqual({
      spf: 'temperror',
      dkim: 'temperror',
      dmarc: 'temperror',
    });
  });

  test('temperror for DMARC if the mechanism that could have passed has a temporary error', async () => {
    publishSender(domain, { spf: 'v=spf1 -all' });
    zone.become('failing', `s1._domainkey.${domain}`);
    expect(await resultsOf(`ann@${domain}`, await signed(domain, mailFrom(`ann@${domain}`)))).toEqual({
      spf: 'fail',
      dkim: 'temperror',
      dmarc: 'temperror',
    });
  });
});

test('a DNS that never answers yields temperror within the time limit', async () => {
  publishSender(domain);
  for (const name of [domain, `s1._domainkey.${domain}`, `_dmarc.${domain}`]) zone.become('silent', name);
  const mail = await signed(domain, mailFrom(`ann@${domain}`));
  const begunAt = performance.now();
  const results = await authenticateMail({
    raw: Buffer.from(mail),
    signatures: 1,
    sender: `ann@${domain}`,
    ip: '127.0.0.1',
    helo: 'client.test',
    host: 'mail.sendloom.test',
    dnsServers: zone.server,
    dnsTimeoutMs: 200,
  });
  expect(results).toMatchObject({ spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' });
  expect(performance.now() - begunAt).toBeLessThan(1500);
});
