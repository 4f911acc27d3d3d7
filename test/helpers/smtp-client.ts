/** An SMTP client that sends raw lines and returns the replies. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface SmtpClient {
  /** Sends one line and returns the last line of the reply: `250 …`. */
  say: (line: string) => Promise<string>;
  /** Sends raw bytes. */
  write: (bytes: string | Buffer) => void;
  /** Waits for the next reply. */
  hear: () => Promise<string>;
  /** Sends the content and its end after the 354 of DATA. */
  content: (mail: string | Buffer) => Promise<string>;
  /** MAIL, RCPTs, DATA, content. @returns the first rejection, or the reply to the content */
  mail: (from: string, to: string | string[], mail: string | Buffer) => Promise<string>;
  /** Resolves when the server closes the connection. */
  ended: Promise<unknown>;
  close: () => void;
}

/** Connects and sends EHLO. */
export async function connectSmtp(port: number): Promise<SmtpClient> {
  const socket: Socket = connect(port, '127.0.0.1');
  const lines: string[] = [];
  const waiting: Array<(line: string) => void> = [];
  let rest = '';
  let isOver = false;
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.once('close', () => {
    isOver = true;
    for (const hear of waiting.splice(0)) hear('closed');
  });
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('latin1');
    for (let end = rest.indexOf('\r\n'); end !== -1; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (/^\d{3}-/.test(line)) continue;
      const hear = waiting.shift();
      if (hear) hear(line);
      else lines.push(line);
    }
  });
  const hear = (): Promise<string> => {
    const line = lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    return isOver ? Promise.resolve('closed') : new Promise((resolve) => waiting.push(resolve));
  };
  const say = (line: string): Promise<string> => {
    socket.write(`${line}\r\n`);
    return hear();
  };
  const content = (mail: string | Buffer): Promise<string> => {
    const text = Buffer.isBuffer(mail) ? mail.toString('latin1') : Buffer.from(mail).toString('latin1');
    socket.write(Buffer.from(`${text.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')}\r\n.\r\n`, 'latin1'));
    return hear();
  };
  await once(socket, 'connect');
  const greeting = await hear();
  if (greeting.startsWith('220')) await say('EHLO client.test');
  else lines.unshift(greeting);
  return {
    say,
    hear,
    content,
    ended,
    write: (bytes) => void socket.write(bytes),
    async mail(from, to, mail) {
      const first = await say(`MAIL FROM:<${from}>`);
      if (!first.startsWith('250')) return first;
      for (const one of [to].flat()) {
        const answer = await say(`RCPT TO:<${one}>`);
        if (answer.startsWith('250')) continue;
        // RSET allows a next mail.
        if (!answer.startsWith('421')) await say('RSET');
        return answer;
      }
      const go = await say('DATA');
      return go.startsWith('354') ? content(mail) : go;
    },
    close: () => socket.destroy(),
  };
}

/** Sends one mail over a new connection. @returns the reply */
export async function sendTo(
  port: number,
  from: string,
  to: string | string[],
  mail: string | Buffer,
): Promise<string> {
  const client = await connectSmtp(port);
  try {
    return await client.mail(from, to, mail);
  } finally {
    client.close();
  }
}
