/** The delivery of campaigns by one worker: ledger, journal, and recovery. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Context } from '../../context.js';
import { createPool } from '../../db/pool.js';
import type { SmtpClient } from '../../mail/smtp/client.js';
import type { CampaignRun } from '../campaigns/intents.js';
import type { Composer } from '../emails/compose.js';
import { journalHandOvers, openJournal, type Journal } from './journal.js';
import { createLedger } from './ledger.js';
import { startRecovery } from './recover.js';
import { sendCampaign, type DeliveryTools, type LaneResult } from './send-campaign.js';

export interface Delivery {
  /** Sends a campaign from this worker for a while (send-campaign.ts). */
  sendCampaign: (run: CampaignRun, signal: AbortSignal, dueUntil?: Date) => Promise<LaneResult>;
  /** That of the worker; null without one. */
  journal: Journal | null;
  /** Reads the status of the campaigns that are being sent, because one may have been canceled. */
  wake: () => void;
  /** Call it after all `sendCampaign` calls have returned. */
  stop: () => Promise<void>;
}

export interface DeliveryOptions {
  client: SmtpClient;
  composer: Composer;
  workerId: string;
}

/** The lease of a chunk is 15 s with the default heartbeat. */
const HEARTBEATS_PER_LEASE = 3.75;
const MAX_CONNECTIONS = 4;

export function startDelivery(ctx: Context, { client, composer, workerId }: DeliveryOptions): Delivery {
  const leaseMs = ctx.config.WORKER_HEARTBEAT_MS * HEARTBEATS_PER_LEASE;
  const pool = createPool({
    databaseUrl: ctx.config.DATABASE_URL,
    max: MAX_CONNECTIONS,
    name: 'sendloom-delivery',
    onError: (error) => ctx.log.warn({ err: error }, 'A database connection of the delivery was lost'),
  });
  ctx.metrics.watchPool('delivery', pool);
  const ledger = createLedger({ pool, log: ctx.log, workerId, leaseMs });
  const { JOURNAL_DIR, DATA_DIR, DATABASE_URL } = ctx.config;
  const journalDirectory = JOURNAL_DIR === '' ? null : path.resolve(JOURNAL_DIR ?? path.join(DATA_DIR, 'journal'));
  const database = identifyDatabase(DATABASE_URL);
  const journal =
    journalDirectory === null
      ? null
      : openJournal({
          directory: journalDirectory,
          workerId,
          database,
          log: ctx.log,
          onFailure: () => ctx.metrics.journalFailures.inc(),
        });
  if (journal) journalHandOvers(client, journal);
  const recovery = startRecovery({
    pool,
    log: ctx.log,
    workerId,
    policy: ctx.config.AMBIGUOUS_SEND,
    leaseMs,
    journalDirectory,
    database,
    holds: ({ campaignId, chunk }) => ledger.holds(campaignId, chunk),
  });
  const tools: DeliveryTools = { ctx, pool, client, composer, ledger, journal, workerId, leaseMs };
  return {
    sendCampaign: (run, signal, dueUntil = new Date()) => sendCampaign(tools, run, signal, dueUntil),
    journal,
    wake: ledger.wake,
    async stop() {
      await Promise.all([recovery.stop(), ledger.stop()]);
      journal?.close();
      await pool.end();
    },
  };
}

/** Journals of one folder can belong to different databases. The password is not part of the identity. */
function identifyDatabase(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  return createHash('sha256').update(`${hostname}:${port}${pathname}`).digest('hex').slice(0, 16);
}
