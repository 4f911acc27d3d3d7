/** A receiver of webhooks in a process of its own, for bench/webhooks.ts. Replies to messages with the ids and the times of arrivals. */
import { createServer } from 'node:http';

let arrivals = [];
const server = createServer((request, response) => {
  arrivals.push([request.headers['webhook-id'], Date.now()]);
  request.resume();
  request.on('end', () => response.end());
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  if (message === 'reset') arrivals = [];
  process.send({ count: arrivals.length, arrivals: message === 'arrivals' ? arrivals : [] });
});
process.on('disconnect', () => process.exit());
