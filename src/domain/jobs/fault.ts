/** A permanent failure of a job. The message is a sentence for `failedReason`. */
export class JobFault extends Error {}
