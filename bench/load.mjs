/**
 * A load generator in its own process: keep-alive connections with one request in flight each. It uses no client
 * library, so the load costs less than the measured code. Messages in: { port, path, key, domain, connections, ms,
 * rate?, mark?, track?, event?, paths? }; out: { count, errors, latencies }. `track` is a number of addresses; the bodies
 * are then those of /v1/track, with the given event or two others. With `paths`, it requests each path in turn, as a
 * browser does.
 */
import net from 'node:net';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

/** Runs one load. A failure ends the process and the benchmark. */
async function load({ port, path, key, domain, connections, ms, rate, mark, track, event, paths }) {
  const latencies = [];
  const sent = [];
  let errors = 0;
  let number = 0;
  const started = performance.now();
  const deadline = started + ms;

  const mailing = (n) => ({
    to: `user${n % 5000}@example.test`,
    from: `hello@${domain}`,
    subject: mark ? `mark ${n}` : 'Your receipt',
    body: '<p>Thank you, {{ name }}. Here is your receipt.</p>',
    data: { name: `Name ${n % 5000}` },
  });
  // A prime step: consecutive requests access distant parts of the index.
  const tracking = (n) => ({
    email: `user${(n * 7919) % track}@example.test`,
    event: event ?? (n % 3 === 0 ? 'item added' : 'page viewed'),
    data: { plan: 'pro', page: { value: `/products/${n % 100}`, persistent: false } },
  });

  const request = (n) => {
    if (paths)
      return `GET ${paths[n % paths.length]} HTTP/1.1\r\nhost: x\r\nuser-agent: ${BROWSER}\r\naccept: image/avif,image/webp,*/*;q=0.8\r\n\r\n`;
    const body = JSON.stringify(track ? tracking(n) : mailing(n));
    if (mark) sent.push([String(n), Date.now()]);
    return `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };

  const lane = () =>
    new Promise((resolve) => {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
      let begun = 0;
      let buffer = '';
      const next = () => {
        if (performance.now() >= deadline) {
          socket.end();
          return resolve();
        }
        const n = number++;
        const send = () => {
          begun = performance.now();
          socket.write(request(n));
        };
        if (!rate) return send();
        // An open loop: the start times do not depend on the responses.
        const due = started + (n / rate) * 1000;
        setTimeout(send, Math.max(0, due - performance.now()));
      };
      socket.on('connect', next);
      socket.on('error', () => {
        errors++;
        resolve();
      });
      socket.on('data', (chunk) => {
        buffer += chunk.toString('latin1');
        const head = buffer.indexOf('\r\n\r\n');
        if (head === -1) return;
        const length = Number(/content-length: (\d+)/i.exec(buffer)?.[1] ?? 0);
        if (buffer.length < head + 4 + length) return;
        if (!buffer.startsWith('HTTP/1.1 200') && !(paths && buffer.startsWith('HTTP/1.1 302'))) errors++;
        else latencies.push(performance.now() - begun);
        buffer = '';
        next();
      });
    });

  await Promise.all(Array.from({ length: connections }, lane));
  process.send({
    count: latencies.length,
    errors,
    ms: performance.now() - started,
    latencies: latencies.sort((a, b) => a - b),
    sent,
  });
}

process.on('message', (order) => void load(order));
process.on('disconnect', () => process.exit(0));
