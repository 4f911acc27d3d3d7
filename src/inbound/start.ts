/** The listener of a worker: it begins when its port is free, and never keeps the worker from its other work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.js';
import { startInboundListener, type InboundListener } from './listener.js';

export interface Inbound {
  stop: () => Promise<void>;
}

/**
 * Several workers of one machine have one configuration: whoever comes second takes over when the first one is gone.
 */
const TRY_AGAIN_MS = 5000;

/** Listens on INBOUND_SMTP_PORT, or tries until it can; does nothing where that is unset. */
export function startInbound(ctx: Context): Inbound {
  const { INBOUND_SMTP_PORT: port, INBOUND_SMTP_HOST, HOST } = ctx.config;
  if (port === undefined) return { stop: () => Promise.resolve() };
  const host = INBOUND_SMTP_HOST ?? HOST;
  const stopping = new AbortController();
  let listener: InboundListener | null = null;

  const run = async (): Promise<void> => {
    for (let attempt = 0; !stopping.signal.aborted && !listener; attempt++) {
      try {
        listener = await startInboundListener(ctx, { port, host });
        ctx.log.info({ port: listener.port, host }, 'Bounces and inbound mail are taken');
      } catch (error) {
        if (attempt === 0)
          ctx.log.warn(
            { err: error, port, host },
            'The SMTP listener can not listen there (INBOUND_SMTP_PORT, INBOUND_SMTP_HOST); it is tried again until it can',
          );
        await sleep(TRY_AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await listener?.stop();
    },
  };
}
