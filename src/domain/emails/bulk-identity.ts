/** Identifies marketing and headless email to mailbox providers and readers (additions, section 7). Pure. */
import type { BulkIdentity } from '../../mail/bulk-identity.js';
import type { EmailTypeName } from './sql/emails.js';

/** What an email was sent for. A test email has none of them. */
export interface EmailPurpose {
  campaignId: string | null;
  workflowId: string | null;
  templateId: string | null;
}

export interface IdentifiedMessage {
  type: EmailTypeName;
  projectId: string;
  projectName: string;
  purpose: EmailPurpose;
  /** The host name of this installation. */
  host: string;
}

/** The `SenderId` of Feedback-ID, which has 5 to 15 characters, and is the same in all mail of an installation. */
const FEEDBACK_SENDER = 'sendloom';

/**
 * Returns the identity of bulk email; undefined for transactional email.
 *
 * - Feedback-ID: `<campaign, workflow, or template>:<project>:<type>:sendloom`, with ids as in the API.
 * - List-ID: one list for the campaigns, the workflows, and the templates of a project each.
 */
export function identifyBulkMail({
  type,
  projectId,
  projectName,
  purpose: { campaignId, workflowId, templateId },
  host,
}: IdentifiedMessage): BulkIdentity | undefined {
  if (type === 'TRANSACTIONAL') return undefined;
  const label = campaignId ? 'campaigns' : workflowId ? 'workflows' : templateId ? 'templates' : 'tests';
  const sentFor = campaignId ?? workflowId ?? templateId ?? 'test';
  return {
    feedbackId: [sentFor, projectId, type.toLowerCase(), FEEDBACK_SENDER].join(':'),
    list: { id: `${label}.${projectId}.${host}`, name: projectName },
  };
}
