/** The secret that signs a project's webhook requests (contract, section 7). */
import type { Context } from '../../../context.js';
import { findWebhookSecret, offerWebhookSecret } from '../sql/webhook-secret.js';
import { notFound } from '../../../errors.js';
import { decryptSecret, encryptSecret } from '../../../mail/secrets.js';
import { newWebhookSecret } from './sign.js';

/**
 * The project's secret, `whsec_…`, made on first use and the same from then on.
 *
 * @throws PROJECT_NOT_FOUND (404); Error when SECRET_KEY is not the one that it was stored with
 */
export async function webhookSecret(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  projectId: string,
): Promise<string> {
  const known = await findWebhookSecret(pool, projectId);
  if (known !== null) return decryptSecret(config.SECRET_KEY, known);
  await offerWebhookSecret(pool, projectId, encryptSecret(config.SECRET_KEY, newWebhookSecret()));
  // Whoever came first has made it.
  const made = await findWebhookSecret(pool, projectId);
  if (made === null) throw notFound('PROJECT');
  return decryptSecret(config.SECRET_KEY, made);
}
