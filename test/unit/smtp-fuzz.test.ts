/** The SMTP client against a server that does anything a server, a network, or a crash can do. */
import { describe, expect, it } from 'vitest';
import { createSmtpClient } from '../../src/mail/smtp/client.js';
import type { SmtpJob, SmtpResult } from '../../src/mail/smtp/job.js';
import { createRandom, startUnreliableServer, type Random } from '../helpers/unreliable-smtp.js';

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);
const EMAILS_PER_SEED = 100;

interface Offered {
  job: SmtpJob;
  content: string;
  isWithdrawn: boolean;
  /** How often the client asked whether to hand it over. */
  handOvers: number;
  results: SmtpResult[];
}

function writeContent(random: Random, id: number): string {
  const lines = [`X-Id: ${id}`, ''];
  const count = random() < 0.03 ? 20_000 : Math.floor(random() * 40);
  const samples = ['text', '.', '..', '.dot', '', 'a longer line of text that goes to the end of the line'];
  for (let index = 0; index < count; index++) lines.push(samples[Math.floor(random() * samples.length)] ?? '');
  return `${random() < 0.05 ? '.' : ''}${lines.join('\r\n')}\r\n`;
}

/** Sends emails through a client. @returns every email that the client took, with its results */
async function sendAll(seed: number) {
  const random = createRandom(seed);
  const server = await startUnreliableServer(random, seed % 10 === 0 ? 0 : random());
  const client = createSmtpClient({
    urls: [`smtp://127.0.0.1:${server.port}`, `smtp://localhost:${server.port}`].slice(0, 1 + (seed % 2)),
    connections: 1 + Math.floor(random() * 8),
    timeouts: { connectMs: 150, replyMs: 150 },
    maxMails: random() < 0.3 ? 3 : 1000,
    coolDownMs: 1,
    outagePause: { minMs: 1, maxMs: 4 },
  });
  const handedOver = new Set<SmtpJob>();
  client.onHandOver((jobs) => {
    for (const job of jobs) {
      expect(handedOver.has(job)).toBe(false);
      handedOver.add(job);
    }
  });
  const offered: Offered[] = [];
  let pending = 0;
  let onDone: () => void = () => undefined;
  const next = (): SmtpJob | null => {
    if (offered.length >= EMAILS_PER_SEED || random() < 0.1) return null;
    const id = offered.length;
    const content = writeContent(random, id);
    const entry: Offered = {
      content,
      isWithdrawn: random() < 0.02,
      handOvers: 0,
      results: [],
      job: {
        from: `sender${id}@example.com`,
        to: random() < 0.05 ? `käufer${id}@example.net` : `r${id}@example.net`,
        content: Buffer.from(content),
        onResult: (result) => {
          entry.results.push(result);
          pending--;
          onDone();
        },
        canHandOver: () => {
          entry.handOvers++;
          return !entry.isWithdrawn;
        },
      },
    };
    offered.push(entry);
    pending++;
    return entry.job;
  };
  const sources = [
    client.addSource({ next }, { priority: 'bulk' }),
    client.addSource({ next }, { priority: 'bulk' }),
    client.addSource({ next }, { priority: 'urgent' }),
  ];
  const closesEarly = random() < 0.2;
  const isDone = (): boolean => pending === 0 && offered.length >= EMAILS_PER_SEED;
  const waking = setInterval(() => sources.forEach(({ wake }) => wake()), 1);
  await new Promise<void>((resolve) => {
    onDone = () => {
      if (isDone() || (closesEarly && offered.length > EMAILS_PER_SEED / 2)) resolve();
    };
  });
  clearInterval(waking);
  await client.close({ graceMs: closesEarly ? random() * 5 : 1000 });
  await server.stop();
  return { offered, server, handedOver };
}

describe('the SMTP client, with a server that fails at every point,', () => {
  const totals: Record<string, number> = {};

  it.concurrent.each(SEEDS)('gives each email one true result (seed %i)', async (seed) => {
    const { offered, server, handedOver } = await sendAll(seed);
    const delivered = new Map<string, number>();
    for (const { from, to, content } of server.deliveries) {
      const entry = offered.find(({ job }) => job.to === to);
      expect({ from, content }).toEqual({ from: entry?.job.from, content: entry?.content });
      delivered.set(to, (delivered.get(to) ?? 0) + 1);
    }
    for (const { job, results, isWithdrawn } of offered) {
      const [result] = results;
      expect(results).toHaveLength(1);
      if (!result) continue;
      const times = delivered.get(job.to) ?? 0;
      totals[result.outcome] = (totals[result.outcome] ?? 0) + 1;
      if (isWithdrawn) expect(['unsent', 'rejected']).toContain(result.outcome);
      switch (result.outcome) {
        case 'accepted':
          expect(times).toBe(1);
          expect(handedOver.has(job)).toBe(true);
          expect(result.response).toMatch(/^250/);
          break;
        case 'rejected':
          expect(times).toBe(0);
          expect(result.permanent).toBe(/^(?!503)5/.test(result.response ?? '5'));
          break;
        case 'inDoubt':
          expect(times).toBeLessThanOrEqual(1);
          expect(handedOver.has(job)).toBe(true);
          break;
        case 'unsent':
          expect(times).toBe(0);
      }
    }
  });

  it('has reached every outcome', () => {
    expect(Object.keys(totals).sort()).toEqual(['accepted', 'inDoubt', 'rejected', 'unsent']);
    expect(totals.accepted).toBeGreaterThan(1000);
    expect(totals.inDoubt).toBeGreaterThan(20);
  });
});
