/**
 * Domain verification: checks a sender domain until it is verified, and then once a day whether it still is.
 *
 * Everything about the domain is in its row; the check reads and changes it there. This workflow is only the clock.
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
  // Only an unreachable database fails a check; it is worth waiting for.
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
      // Before the check and not after it: a poke during the check asks for another one.
      poked = false;
      const domain = await checkDomain({ domainId: input.domainId, now: Date.now() });
      if (!domain.exists) return;

      const verified = domain.status === 'VERIFIED';
      setCurrentDetails(verified ? 'Verified; checked once a day' : `${domain.status}; checked every 5 minutes`);
      // The new run begins with a check, so a poke that comes just now is not lost.
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof domainVerification>(input);
      await condition(() => poked, verified ? '1 day' : '5 minutes', {
        summary: verified ? 'until the daily check' : 'until the next check',
      });
    }
  } catch (error) {
    // The domain was removed: nothing is left to do, and nobody waits for an answer.
    if (isCancellation(error)) return;
    throw error;
  }
}
