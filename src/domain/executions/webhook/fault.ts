/**
 * A reason for which a WEBHOOK step's request is in vain, however often it is made: a sentence without addresses and
 * values.
 */
export class WebhookFault extends Error {}
