/** Metrics of a mailer. */
import type { Metrics } from '../../operations/metrics.js';
import type { Mailer } from './mailer.js';

const OUTCOMES = { SENT: 'sent', FAILED: 'failed', CANCELLED: 'cancelled', PENDING: 'retry' } as const;

export function observed(mailer: Mailer, metrics: Metrics): Mailer {
  return {
    async deliver(email) {
      const end = metrics.delivery.startTimer();
      const result = await mailer.deliver(email);
      const outcome = OUTCOMES[result.status];
      end({ outcome });
      metrics.emails.inc({ source: email.source, outcome });
      return result;
    },
  };
}
