import { defineSignal } from '@temporalio/workflow';

/** Tells a workflow to read its row again. It carries no data, so a lost or repeated signal does no harm. */
export const poke = defineSignal('poke');
