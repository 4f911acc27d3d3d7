/** The begin of an SMTP session: greeting, EHLO, STARTTLS, and AUTH. */
import { createHmac } from 'node:crypto';
import { TransportError } from './errors.js';
import { noExtensions, parseExtensions, type Extensions } from './extensions.js';
import type { Credentials, SmtpServer } from './url.js';

export interface Reply {
  code: number;
  text: string;
}

export interface Dialogue {
  /** Waits for the greeting. */
  readGreeting: () => Promise<Reply>;
  /** Sends a line, and waits for the reply. */
  command: (line: string) => Promise<Reply>;
  upgradeToTls: () => Promise<void>;
}

/**
 * Begins a session as the server's URL requires.
 *
 * @returns the extensions of the server, after TLS if it is used
 * @throws TransportError of stage `connect` for every reply that ends the session
 */
export async function beginSession(dialogue: Dialogue, server: SmtpServer): Promise<Extensions> {
  const { secure, ignoreTLS, requireTLS } = server.options;
  expectReply(await dialogue.readGreeting(), 220, server);
  let extensions = await introduce(dialogue, server);
  if (!secure && (requireTLS || (extensions.startTls && !ignoreTLS))) {
    expectReply(await dialogue.command('STARTTLS'), 220, server);
    await dialogue.upgradeToTls();
    extensions = await introduce(dialogue, server);
  }
  // A server without AUTH that requires it rejects the email itself, with a more specific reply.
  if (server.credentials) await authenticate(dialogue, server, server.credentials, extensions);
  return extensions;
}

async function introduce(dialogue: Dialogue, server: SmtpServer): Promise<Extensions> {
  const { name, requireTLS } = server.options;
  const reply = await dialogue.command(`EHLO ${name}`);
  if (isPositive(reply)) return parseExtensions(reply.text);
  // HELO offers no STARTTLS.
  if (reply.code === 421 || requireTLS) throw sessionError(reply, server);
  const helo = await dialogue.command(`HELO ${name}`);
  expectPositive(helo, server);
  return noExtensions();
}

async function authenticate(
  dialogue: Dialogue,
  server: SmtpServer,
  { user, pass }: Credentials,
  { auth }: Extensions,
): Promise<void> {
  const mechanism = ['PLAIN', 'LOGIN', 'CRAM-MD5'].find((name) => auth.has(name)) ?? 'PLAIN';
  if (mechanism === 'PLAIN') {
    return expectPositive(await dialogue.command(`AUTH PLAIN ${toBase64(`\0${user}\0${pass}`)}`), server);
  }
  const challenge = await dialogue.command(`AUTH ${mechanism}`);
  expectReply(challenge, 334, server);
  if (mechanism === 'LOGIN') {
    expectReply(await dialogue.command(toBase64(user)), 334, server);
    return expectPositive(await dialogue.command(toBase64(pass)), server);
  }
  const digest = createHmac('md5', pass)
    .update(Buffer.from(challenge.text.slice(4), 'base64'))
    .digest('hex');
  expectPositive(await dialogue.command(toBase64(`${user} ${digest}`)), server);
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

const isPositive = ({ code }: Reply): boolean => code >= 200 && code < 300;

function expectReply(reply: Reply, code: number, server: SmtpServer): void {
  if (reply.code !== code) throw sessionError(reply, server);
}

function expectPositive(reply: Reply, server: SmtpServer): void {
  if (!isPositive(reply)) throw sessionError(reply, server);
}

const sessionError = ({ code, text }: Reply, server: SmtpServer): TransportError =>
  new TransportError(text, {
    kind: 'connection',
    stage: 'connect',
    responseCode: code,
    response: text,
    server: server.name,
  });
