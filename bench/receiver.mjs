/** A receiver of webhooks in a process of its own, for bench/webhooks.ts. Replies to messages with the ids and the times of arrivals. */
import { createServer } from 'node:http';

let arrivals = [];
const server = createServer((request, response) => {
  if (request.url === '/') arrivals.push([request.headers['webhook-id'], Date.now()]);
  request.resume();
  request.on('end', () => {
    if (request.url === '/slow') setTimeout(() => response.end(), 10_000);
    else if (request.url === '/busy') response.writeHead(429, { 'retry-after': '1' }).end();
    else response.end();
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message === 'reset') arrivals = [];
  process.send({ count: arrivals.length, arrivals: message === 'arrivals' ? arrivals : [] });
});
process.on('disconnect', () => process.exit());
