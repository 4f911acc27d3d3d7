/**
 * Reads mails in threads of their own: a mail that is made to keep a parser busy costs its thread, and not the process
 * that hands over everybody's mails.
 */
import { Worker } from 'node:worker_threads';
import { readMail, toInboundMail, unreadable, type InboundMail, type ReadMail } from './parse.js';

export interface Parser {
  /** @throws SmtpReply (554) for a mail that can't be read, is made of too much, or takes too long */
  parse: (raw: Buffer) => Promise<InboundMail>;
  close: () => Promise<void>;
}

/** What a thread answers. */
export type ThreadAnswer = { read: ReadMail } | { error: string };

/** A mail of 25 MB takes 3 s at most, unless it means harm. */
const PARSE_MS = 15_000;
const HEAP_MB = 512;

/** Any number of mails may be read at a time: each has a thread, and threads that are free are used again. */
export function createParser(): Parser {
  // A thread takes no TypeScript: where the sources run as they are, mails are read in the caller's.
  const file = import.meta.url.endsWith('.ts') ? null : new URL('./parse-thread.js', import.meta.url);
  const all = new Set<Worker>();
  const free: Worker[] = [];

  const start = (url: URL): Worker => {
    const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    worker.unref();
    all.add(worker);
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      all.delete(worker);
      const at = free.indexOf(worker);
      if (at !== -1) free.splice(at, 1);
    });
    return worker;
  };

  const readIn = async (worker: Worker, raw: Buffer): Promise<ReadMail> => {
    let timer: NodeJS.Timeout | undefined;
    let forget: () => void = () => undefined;
    try {
      const answer = await new Promise<ThreadAnswer>((resolve, reject) => {
        const fail = (): void => reject(new Error('The mail was too much for its thread'));
        timer = setTimeout(() => reject(new Error('The mail takes too long to read')), PARSE_MS);
        worker.once('message', resolve);
        worker.once('exit', fail);
        forget = () => worker.off('message', resolve).off('exit', fail);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
        worker.postMessage(raw);
      });
      if ('error' in answer) throw new Error(answer.error);
      free.push(worker);
      return answer.read;
    } catch (error) {
      // Whatever state it is in, another one is made faster.
      await worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      forget();
    }
  };

  return {
    async parse(raw) {
      const worker = file && (free.pop() ?? start(file));
      try {
        return toInboundMail(raw, await (worker ? readIn(worker, raw) : readMail(raw)));
      } catch {
        // What it was matters to nobody but its sender.
        throw unreadable();
      }
    },
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
