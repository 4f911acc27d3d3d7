/** The filters of the email log. They are search parameters of its page and of `GET /emails`. */
export const STATUSES = [
  'SCHEDULED',
  'PENDING',
  'SENDING',
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'BOUNCED',
  'COMPLAINED',
  'FAILED',
  'CANCELLED',
] as const;
export const SOURCES = ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST', 'PLATFORM'] as const;
export const TYPES = ['TRANSACTIONAL', 'MARKETING', 'HEADLESS'] as const;

export type EmailStatus = (typeof STATUSES)[number];

export interface EmailFilters {
  status?: EmailStatus | undefined;
  source?: (typeof SOURCES)[number] | undefined;
  type?: (typeof TYPES)[number] | undefined;
  to?: string | undefined;
  /** Days in the project's zone, `2026-11-23`. */
  since?: string | undefined;
  until?: string | undefined;
  campaignId?: string | undefined;
  templateId?: string | undefined;
  workflowId?: string | undefined;
  contactId?: string | undefined;
  group?: string | undefined;
  tag?: string | undefined;
}
