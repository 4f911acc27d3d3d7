/** Offers the queued emails (queue.ts) to the SMTP client, and hands the emails of a request over one after the other. */
import type { SmtpJob, SmtpResult } from '../../mail/smtp/job.js';
import { openSendSpan } from '../../trace.js';
import { decideReply, retryLater } from './decide.js';
import {
  canHandOver,
  isJournalUsable,
  isOrdered,
  note,
  release,
  unqueue,
  type Queue,
  type QueuedEmail,
} from './queue.js';
import type { ComposedEmail } from './queued-email.js';

/** Returns the next email for a free connection. */
export function nextJob(queue: Queue): QueueJob | null {
  const { transactional, automation } = queue.ready;
  while (!queue.isStopping && queue.isJournaled === isJournalUsable(queue)) {
    const one = transactional.shift() ?? automation.shift();
    if (!one) return null;
    const job = offer(queue, one);
    if (job) return job;
  }
  return null;
}

/** Returns a composed email for a connection, or null: if its claim is too old, it is released. */
function offer(queue: Queue, one: QueuedEmail): QueueJob | null {
  const { composed } = one;
  if (!composed) return null;
  if (!canHandOver(queue, one)) {
    release(queue, one, 0);
    return null;
  }
  unqueue(queue, one);
  return new QueueJob(queue, one, composed);
}

/** An email that is offered to the SMTP client. */
class QueueJob implements SmtpJob {
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
  readonly #queue: Queue;
  readonly #one: QueuedEmail;
  readonly #endSpan: (outcome: 'ok' | 'error') => void;
  #isWithdrawn = false;

  constructor(queue: Queue, one: QueuedEmail, { from, content, trace }: ComposedEmail) {
    const { id, projectId, source, attempts, toEmail } = one.email;
    this.from = from;
    this.to = toEmail;
    this.content = content;
    this.#queue = queue;
    this.#one = one;
    this.#endSpan = openSendSpan({ id, projectId, source, attempt: attempts }, trace);
  }

  canHandOver(): boolean {
    this.#isWithdrawn = !canHandOver(this.#queue, this.#one);
    return !this.#isWithdrawn;
  }

  noteHandOver(): void {
    this.#one.batch.journal?.noteHandedOver(this.#one.position);
  }

  takeSuccessor(): QueueJob | null {
    const one = this.#one;
    const next = isOrdered(one) ? this.#queue.order.after(one.email.messageId, one) : null;
    return next && offer(this.#queue, next);
  }

  onResult(result: SmtpResult): void {
    this.#endSpan(result.outcome === 'accepted' ? 'ok' : 'error');
    if (this.#isWithdrawn) return release(this.#queue, this.#one, 0);
    const { attempts } = this.#one.email;
    // An unsent email counts as an attempt, so that the others are tried before it.
    const decision =
      result.outcome === 'unsent'
        ? retryLater(attempts, result.error, { response: result.response })
        : decideReply(result, attempts);
    note(this.#queue, this.#one, decision);
  }
}
