/** What makes a job impossible, in a sentence for its `failedReason`: trying again would find the same. */
export class JobFault extends Error {}
