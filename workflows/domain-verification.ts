/**
 * Verifies a sender domain: checks it every 5 minutes until it is verified, and then once a day.
 *
 * The domain's row is the source of truth. The check reads and changes it; this workflow is only the timer.
 */
import {
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DomainActivities } from '../activities/domains.js';
import { poke } from './signals.js';

export interface DomainVerificationInput {
  domainId: string;
  projectId: string;
}

const { checkDomain } = proxyActivities<DomainActivities>({
  startToCloseTimeout: '30 seconds',
  // A check fails only while the database is unreachable, so it is retried without limit.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  summary: "Check the domain's DNS records",
});

export async function domainVerification(input: DomainVerificationInput): Promise<void> {
  let poked = false;
  setHandler(poke, () => {
    poked = true;
  });

  try {
    for (;;) {
      // Reset before the check: a poke during the check requests another one.
      poked = false;
      const domain = await checkDomain({ domainId: input.domainId, now: Date.now() });
      if (!domain.exists) return;

      const verified = domain.status === 'VERIFIED';
      setCurrentDetails(verified ? 'Verified; checked once a day' : `${domain.status}; checked every 5 minutes`);
      // The new run starts with a check, so it loses no poke.
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof domainVerification>(input);
      await condition(() => poked, verified ? '1 day' : '5 minutes', {
        summary: verified ? 'until the daily check' : 'until the next check',
      });
    }
  } catch (error) {
    // The domain was removed.
    if (isCancellation(error)) return;
    throw error;
  }
}
