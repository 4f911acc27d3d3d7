/**
 * A counting SMTP sink in its own process. It accepts every email, offers PIPELINING, and reports the number, the times,
 * and its CPU time to its parent. Input stays in buffers: the sink should cost less than the clients that it measures.
 */
import net from 'node:net';

const END_OF_DATA = Buffer.from('\r\n.\r\n');
const LINE_END = Buffer.from('\r\n');
const [D, E, Q] = ['D', 'E', 'Q'].map((letter) => letter.charCodeAt(0));
const EHLO_REPLY = '250-sink\r\n250-PIPELINING\r\n250-SIZE 50000000\r\n250 8BITMIME\r\n';

let count = 0;
let first = 0;
let last = 0;
let watched = new Map();
/** How long each reply is delayed, in milliseconds. */
let delayMs = 0;

const server = net.createServer({ noDelay: true }, (socket) => {
  let inData = false;
  let rest = null;
  const reply = (text) => {
    if (delayMs === 0) socket.write(text, 'latin1');
    else setTimeout(() => socket.write(text, 'latin1'), delayMs);
  };
  reply('220 sink\r\n');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const input = rest ? Buffer.concat([rest, chunk]) : chunk;
    rest = null;
    let out = '';
    let position = 0;
    while (position < input.length) {
      const mark = inData ? END_OF_DATA : LINE_END;
      const end = input.indexOf(mark, position);
      if (end === -1) break;
      if (inData) {
        if (watched.size > 0) note(input.toString('latin1', position, end));
        count++;
        last = Date.now();
        first ||= last;
        inData = false;
        out += '250 OK\r\n';
      } else {
        const letter = input[position];
        inData = letter === D;
        out += inData ? '354 go\r\n' : letter === E ? EHLO_REPLY : letter === Q ? '221 bye\r\n' : '250 OK\r\n';
      }
      position = end + mark.length;
    }
    // Of an incomplete content, only the start of a possible end matters.
    if (position < input.length)
      rest = Buffer.from(
        input.subarray(inData && watched.size === 0 ? Math.max(position, input.length - 4) : position),
      );
    if (out !== '') reply(out);
  });
});

/** Arrival times by the mark in the subject. */
function note(message) {
  const marker = /^Subject: mark (\d+)/m.exec(message)?.[1];
  if (marker !== undefined) watched.set(marker, Date.now());
}

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message === 'reset') {
    count = first = last = 0;
    watched = new Map();
  }
  if (message === 'watch') watched.set('start', 0);
  if (typeof message === 'object') delayMs = message.delayMs;
  const { user, system } = process.cpuUsage();
  process.send({
    count,
    first,
    last,
    cpuUs: user + system,
    ...(message === 'arrivals' && { arrivals: [...watched] }),
  });
});
process.on('disconnect', () => process.exit(0));
