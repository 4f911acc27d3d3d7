/** Stored designs. Apart from design.ts, because the threads that render need no database client. */
import type { Design } from '../../../packages/email-blocks/src/index.js';

/** Returns the design of a row. It was checked against its schema when it was stored. */
export const readDesign = (stored: unknown): Design | null => (stored ?? null) as Design | null;
