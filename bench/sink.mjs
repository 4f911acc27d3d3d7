/**
 * A counting SMTP sink in its own process. It accepts every email and reports the number and the times to its parent.
 */
import net from 'node:net';

let count = 0;
let first = 0;
let last = 0;
let watched = new Map();

const server = net.createServer((socket) => {
  socket.setNoDelay(true);
  let inData = false;
  let tail = '';
  socket.write('220 sink\r\n');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    let text = tail + chunk.toString('latin1');
    tail = '';
    let out = '';
    while (text.length > 0) {
      if (inData) {
        const end = text.indexOf('\r\n.\r\n');
        if (end === -1) {
          tail = text.slice(-4);
          if (watched.size > 0) tail = text;
          break;
        }
        if (watched.size > 0) note(text.slice(0, end));
        text = text.slice(end + 5);
        inData = false;
        count++;
        last = Date.now();
        first ||= last;
        out += '250 OK\r\n';
        continue;
      }
      const end = text.indexOf('\r\n');
      if (end === -1) {
        tail = text;
        break;
      }
      const verb = text.slice(0, 4).toUpperCase();
      text = text.slice(end + 2);
      if (verb === 'DATA') {
        inData = true;
        out += '354 go\r\n';
      } else if (verb === 'EHLO') out += '250-sink\r\n250 8BITMIME\r\n';
      else if (verb === 'QUIT') out += '221 bye\r\n';
      else out += '250 OK\r\n';
    }
    if (out) socket.write(out);
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
  process.send({ count, first, last, ...(message === 'arrivals' && { arrivals: [...watched] }) });
});
process.on('disconnect', () => process.exit(0));
