import { describe, expect, it } from 'vitest';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { sendOver } from '../helpers/send-over.js';
import { parseSmtpUrl } from '../../src/mail/smtp/url.js';

const mailTo = (to: string) => ({ from: 'a@example.com', to, raw: Buffer.from('Subject: x\r\n\r\nx\r\n') });

describe('SMTP URLs', () => {
  it('have defaults', () => {
    expect(parseSmtpUrl('smtp://mail.example.com')).toMatchObject({
      name: 'mail.example.com:25',
      options: { port: 25, secure: false },
    });
    expect(parseSmtpUrl('smtps://u:p%2F@[::1]')).toMatchObject({
      options: { host: '::1', port: 465, secure: true },
      credentials: { user: 'u', pass: 'p/' },
    });
  });

  it.each([
    ['smtp://mail.example.com', undefined],
    ['smtp://10.0.0.1', undefined],
    ['smtp://localhost.example.com', undefined],
    ['smtp://localhost:2525', { rejectUnauthorized: false }],
    ['smtp://127.0.0.1', { rejectUnauthorized: false }],
    ['smtp://[::1]', { rejectUnauthorized: false }],
    ['smtp://localhost?rejectUnauthorized=true', undefined],
    ['smtps://localhost', undefined],
  ])('%s checks certificates unless the server is on loopback', (url, tls) => {
    expect(parseSmtpUrl(url).options.tls).toEqual(tls);
  });

  it.each(['nonsense', 'http://a.example', 'smtp://a.example?ignoreTLS=yes', 'smtp://a.example?pool=true'])(
    '%s is rejected',
    (url) => {
      expect(() => parseSmtpUrl(url)).toThrow(TypeError);
    },
  );

  it('are not repeated in errors, because they may contain a password', () => {
    expect(() => parseSmtpUrl('smtpx://user:hunter2@a.example')).toThrow(/^(?!.*hunter2)/);
  });
});

describe('the capture transport', () => {
  it('keeps mails and fails on request', async () => {
    const transport = createCaptureTransport({ connections: 2 });
    transport.failNext({ kind: 'transient', stage: 'envelope', response: '450 later', to: 'b@example.net' });
    await sendOver(transport, mailTo('a@example.net'));
    await expect(sendOver(transport, mailTo('b@example.net'))).rejects.toMatchObject({
      name: 'TransportError',
      kind: 'transient',
      responseCode: 450,
    });
    await sendOver(transport, mailTo('b@example.net'));
    expect(transport.mails.map(({ to }) => to)).toEqual(['a@example.net', 'b@example.net']);
    expect(transport.attempts).toHaveLength(3);
    const release = transport.hold();
    const held = sendOver(transport, mailTo('c@example.net'));
    expect(transport.mails).toHaveLength(2);
    release();
    await held;
    expect(transport.mails).toHaveLength(3);
  });
});
