/** Reports about campaigns and emails. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Lists why emails of a campaign failed, and sends those again that no mail server accepted. */
export async function retryFailures(sendloom: SendloomClient, campaignId: string) {
  const path = { id: campaignId };
  const { data } = unwrap(await sendloom.GET('/campaigns/{id}/failures', { params: { path } }));
  const { retried } = unwrap(
    await sendloom.POST('/campaigns/{id}/retry-failed', { params: { path }, body: { includeAmbiguous: false } }),
  );
  return { reasons: data.map(({ response, count }) => `${count}: ${response}`), retried };
}
