/** Messages of the topic `campaigns`: the progress of campaigns that are scheduled, sending, or just ended. */
import type { Pool } from '../../db/pool.js';
import { selectCampaignProgress, type CampaignRow } from './sql.js';

export interface CampaignProgress {
  id: string;
  status: CampaignRow['status'];
  totalRecipients: number;
  sentCount: number;
  failedCount: number;
  pendingCount: number;
  /** Emails sent per second in the last seconds. 0 unless the campaign is sending. */
  perSecond: number;
  paused: { reason: 'retries'; until: string } | null;
  /** null if the campaign is not sending, if it is paused, or if its rate is not known. */
  secondsLeft: number | null;
}

/** New listeners also receive the campaigns and jobs that ended in this time, so that they do not miss the end. */
export const ENDED_RECENTLY_MS = 10 * 60_000;
/** The rate is measured over this time. */
const RATE_WINDOW_MS = 5000;

interface Sample {
  at: number;
  sent: number;
}

/** Reads the progress of a project's campaigns, and measures their rates. */
export class CampaignProgressReader {
  readonly #samples = new Map<string, Sample[]>();

  constructor(
    private readonly pool: Pool,
    private readonly projectId: string,
  ) {}

  /** Returns the campaigns with the number of their sending, which a retry of failed emails raises. */
  async read(): Promise<Array<{ progress: CampaignProgress; attempt: number }>> {
    const endedSince = new Date(Date.now() - ENDED_RECENTLY_MS);
    const rows = await selectCampaignProgress(this.pool, this.projectId, [...this.#samples.keys()], endedSince);
    const at = performance.now();
    const sending = new Set(rows.filter(({ status }) => status === 'SENDING').map(({ id }) => id));
    for (const id of this.#samples.keys()) if (!sending.has(id)) this.#samples.delete(id);
    return rows.map((row) => ({
      progress: toProgress(row, sending.has(row.id) ? this.#measureRate(row, at) : 0),
      attempt: row.attempt,
    }));
  }

  #measureRate({ id, sentCount }: CampaignRow, at: number): number {
    const samples = (this.#samples.get(id) ?? []).filter((sample) => at - sample.at <= RATE_WINDOW_MS);
    const [first] = samples;
    this.#samples.set(id, [...samples, { at, sent: sentCount }]);
    return first ? Math.max(0, ((sentCount - first.sent) * 1000) / (at - first.at)) : 0;
  }
}

function toProgress(row: CampaignRow, rate: number): CampaignProgress {
  const { id, status, totalRecipients, sentCount, failedCount, pendingCount, nextRetryAt } = row;
  const perSecond = rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
  return {
    id,
    status,
    totalRecipients,
    sentCount,
    failedCount,
    pendingCount,
    perSecond,
    paused: nextRetryAt && { reason: 'retries', until: nextRetryAt.toISOString() },
    secondsLeft: status === 'SENDING' && !nextRetryAt && perSecond > 0 ? Math.ceil(pendingCount / perSecond) : null,
  };
}

/** Whether no further message about the campaign follows. Emails in flight are recorded after a cancellation. */
export const hasEnded = ({ status, pendingCount }: Pick<CampaignProgress, 'status' | 'pendingCount'>): boolean =>
  status === 'SENT' || (status === 'CANCELLED' && pendingCount === 0);
