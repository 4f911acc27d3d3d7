/**
 * The calibration of bench/smtp: the least that a client can do. Pipelined connections, each with a read buffer shared
 * by all, and no queue, no timeouts, and no errors.
 */
import { connect } from 'node:net';
import { once } from 'node:events';

const READ_BUFFER = Buffer.allocUnsafe(64 * 1024);
const [LF, HYPHEN, THREE, FIVE] = [10, 45, 51, 53];
const ENVELOPE = 'MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n';

export interface BareRun {
  port: number;
  connections: number;
  emails: number;
  content: Buffer;
}

/** Sends the same email many times. Resolves when all are accepted. */
export async function sendBare({ port, connections, emails, content }: BareRun): Promise<void> {
  let left = emails;
  let missing = emails;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const onAccepted = (): void => {
    missing -= 1;
    if (missing === 0) finish();
  };
  const sockets = Array.from({ length: connections }, () =>
    converse(port, content, () => (left > 0 ? left-- : 0), onAccepted),
  );
  await finished;
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
}

/** Opens a connection that sends the email as long as `next` returns a number. */
function converse(port: number, content: Buffer, next: () => number, onAccepted: () => void) {
  // The greeting, and the reply to EHLO.
  let awaited = 2;
  let isHanded = false;
  let rest: Buffer | null = null;

  const handOver = (): void => {
    isHanded = true;
    const text = `.\r\n${next() > 0 ? ENVELOPE : ''}`;
    const data = Buffer.allocUnsafe(content.length + text.length);
    content.copy(data);
    data.write(text, content.length, 'latin1');
    socket.write(data);
  };

  const onReply = (firstDigit: number | undefined): void => {
    if (awaited > 0) {
      awaited -= 1;
      if (awaited === 1) socket.write('EHLO bench\r\n');
      else if (next() > 0) socket.write(ENVELOPE);
    } else if (firstDigit === FIVE) throw new Error('The sink rejected an email');
    else if (firstDigit === THREE) handOver();
    else if (isHanded) {
      isHanded = false;
      onAccepted();
    }
  };

  const read = (length: number, buffer: Uint8Array): boolean => {
    const input = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    const bytes = rest ? Buffer.concat([rest, input]) : input;
    rest = null;
    let line = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, line)) {
      const isLastLine = bytes[line + 3] !== HYPHEN;
      const start = line;
      line = end + 1;
      if (isLastLine) onReply(bytes[start]);
    }
    if (line < bytes.length) rest = Buffer.from(bytes.subarray(line));
    return true;
  };

  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: { buffer: READ_BUFFER, callback: read },
  });
  return socket;
}
