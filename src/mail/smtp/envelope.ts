/** The envelope of an email: MAIL, RCPT, and DATA. */
import { toAsciiAddress } from '../address.js';
import type { Extensions } from './extensions.js';
import type { SmtpJob } from './job.js';

/** An email that a connection can take. */
export interface Task {
  job: SmtpJob;
  isBulk: boolean;
  /** The addresses of the envelope. Only their local parts can be non-ASCII. */
  from: string;
  to: string;
}

/** @throws ComposeError if an address could end its command */
export function createTask(job: SmtpJob, isBulk: boolean): Task {
  return { job, isBulk, from: toAsciiAddress(job.from), to: toAsciiAddress(job.to) };
}

/** Returns why a server with these extensions cannot accept an email, or null if it can. */
export function findObstacle({ job, from, to }: Task, extensions: Extensions): string | null {
  const { length } = job.content;
  if (extensions.maxSize !== null && extensions.maxSize > 0 && length > extensions.maxSize)
    return `The email has ${length} bytes, and the server accepts at most ${extensions.maxSize}.`;
  if (!extensions.smtpUtf8 && !(isAscii(from) && isAscii(to)))
    return 'The server does not accept addresses with non-ASCII characters (SMTPUTF8).';
  return null;
}

export function writeMailCommand({ job, from, to }: Task, { maxSize, smtpUtf8 }: Extensions): string {
  const size = maxSize === null ? '' : ` SIZE=${job.content.length}`;
  // A server that offers SMTPUTF8 also offers 8BITMIME (RFC 6531, 3.1).
  const utf8 = smtpUtf8 && !(isAscii(from) && isAscii(to)) ? ' BODY=8BITMIME SMTPUTF8' : '';
  return `MAIL FROM:<${from}>${size}${utf8}\r\n`;
}

export const writeRcptCommand = ({ to }: Task): string => `RCPT TO:<${to}>\r\n`;

export const DATA_COMMAND = 'DATA\r\n';

/** Returns the whole envelope, for a server with PIPELINING (RFC 2920). */
export const writeEnvelope = (task: Task, extensions: Extensions): string =>
  writeMailCommand(task, extensions) + writeRcptCommand(task) + DATA_COMMAND;

// oxlint-disable-next-line no-control-regex -- the complement of ASCII
const NON_ASCII = /[^\u0000-\u007f]/;
const isAscii = (text: string): boolean => !NON_ASCII.test(text);
