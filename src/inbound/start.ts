/** Runs the SMTP listener in a worker. Its failures never affect the worker's other work. */
import type { Context } from '../context.js';
import { startLoop } from '../loop.js';
import { startInboundListener, type InboundListener } from './listener.js';

export interface Inbound {
  stop: () => Promise<void>;
}

/** How soon another worker of this machine gets the port after its owner has stopped. */
const RETRY_LISTEN_MS = 5000;

/** Listens on INBOUND_SMTP_PORT, and retries while the port is in use. Does nothing if the variable is unset. */
export function startInbound(ctx: Context): Inbound {
  const { INBOUND_SMTP_PORT: port, INBOUND_SMTP_HOST, HOST } = ctx.config;
  if (port === undefined) return { stop: () => Promise.resolve() };
  const host = INBOUND_SMTP_HOST ?? HOST;
  let listener: InboundListener | null = null;
  let hasWarned = false;

  const loop = startLoop({
    everyMs: RETRY_LISTEN_MS,
    async runTurn() {
      if (listener) return;
      listener = await startInboundListener(ctx, { port, host });
      ctx.log.info({ port: listener.port, host }, 'The SMTP listener accepts bounces and inbound mail');
    },
    failed(error) {
      if (hasWarned) return;
      hasWarned = true;
      ctx.log.warn(
        { err: error, port, host },
        'The SMTP listener cannot use its port and retries every 5 s (INBOUND_SMTP_PORT, INBOUND_SMTP_HOST)',
      );
    },
  });
  return {
    async stop() {
      await loop.stop();
      await listener?.stop();
    },
  };
}
