/** The workflows of the bundle. */
export { bulkJob } from './bulk-job.js';
export { campaignSend } from './campaign.js';
export { contactImport } from './contact-import.js';
export { domainVerification } from './domain-verification.js';
export { exportJob } from './export-job.js';
export { workflowExecution } from './execution.js';
export { maintenance } from './maintenance.js';
export { webhookEndpoint } from './webhook-endpoint.js';
export { webhookReplay } from './webhook-replay.js';
