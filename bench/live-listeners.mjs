/**
 * Listeners of live streams, as a process of their own: `{ open }` opens them, `{ close }` closes them and returns what
 * they received. They run at the lowest priority, because in production they run on other machines.
 */
import { get } from 'node:http';
import os from 'node:os';

os.setPriority(os.constants.priority.PRIORITY_LOW);

const TOPICS = ['activity', 'campaigns', 'jobs', 'domains', 'reputation'];
const PROBE = '"eventName":"probe"';

/** @type {import('node:http').ClientRequest[]} */
let requests = [];
let messages = 0;
/** The event's id and the time in ms of the system's monotonic clock. @type {Array<[string, number]>} */
let arrivals = [];

/** Opens a stream, and resolves with its first bytes. */
const listen = ({ url, projectId, secret }) =>
  new Promise((resolve, reject) => {
    const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${secret}` };
    const request = get(`${url}/projects/${projectId}/stream?topics=${TOPICS.join(',')}`, { headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`The stream returned ${response.statusCode}.`));
      let rest = '';
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (chunk) => {
        const at = Number(process.hrtime.bigint()) / 1e6;
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          if (!block.startsWith('event: ')) continue;
          messages += 1;
          if (block.includes(PROBE)) arrivals.push([/"id":"([^"]+)"/.exec(block)?.[1] ?? '', at]);
        }
        resolve();
      });
    });
    request.on('error', reject);
    requests.push(request);
  });

async function answer({ open, close }) {
  if (open) {
    [messages, arrivals, requests] = [0, [], []];
    await Promise.all(Array.from({ length: open.count }, () => listen(open)));
    process.send?.({ opened: open.count });
  }
  if (close) {
    for (const request of requests) request.destroy();
    process.send?.({ messages, arrivals });
  } else if (!open) process.send?.({ arrived: arrivals.length });
}

process.on('message', (message) => void answer(message));
process.on('disconnect', () => process.exit(0));
