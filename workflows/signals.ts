import { defineSignal } from '@temporalio/workflow';

/** "Look at your row": carries nothing, so that losing or repeating it can't lose or repeat anything. */
export const poke = defineSignal('poke');
