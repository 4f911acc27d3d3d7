/** What a thread of parser.ts runs: it reads one mail after the other. */
import { parentPort } from 'node:worker_threads';
import { readMail } from './parse.js';
import type { ThreadAnswer } from './parser.js';

if (parentPort) {
  const port = parentPort;
  const read = async (raw: Uint8Array): Promise<ThreadAnswer> => {
    try {
      return { read: await readMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : 'unknown' };
    }
  };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
  port.on('message', (raw: Uint8Array) => void read(raw).then((answer) => port.postMessage(answer)));
}
