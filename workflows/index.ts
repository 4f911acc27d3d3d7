/** All workflows, for the bundle. */
export { campaignSend } from './campaign.js';
export { domainVerification } from './domain-verification.js';
export { maintenance } from './maintenance.js';
