/** Responses in the format of server-sent events. */
import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../context.js';
import type { Transport } from '../domain/live/connection.js';
import { findSession } from '../domain/accounts/sessions.js';
import { findMemberProject } from '../domain/projects/access.js';
import { hashSecret } from '../domain/projects/keys.js';
import { isSecretOfProject } from '../db/admission.js';
import { recordResponse } from './record-response.js';
import { readSessionToken } from './session.js';

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // Proxies such as nginx would otherwise collect the messages.
  'X-Accel-Buffering': 'no',
  // The client connects again over a new connection, which a load balancer can give to another process.
  Connection: 'close',
};

/** Sends the head of an endless response. Fastify no longer handles the reply afterwards. */
export function openEventStream(ctx: ApiContext, request: FastifyRequest, reply: FastifyReply): Transport {
  const { raw } = reply;
  reply.hijack();
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...STREAM_HEADERS })) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.flushHeaders();
  // Now, because Fastify calls no hook when a client disconnects.
  recordResponse(ctx, request, reply);
  return {
    write: (chunk) => void raw.write(chunk),
    bufferedBytes: () => raw.writableLength,
    end: () => void raw.end(),
    destroy: () => void raw.destroy(),
    async drained() {
      while (raw.writableNeedDrain && !raw.destroyed) {
        const settled = new AbortController();
        const { signal } = settled;
        await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })]).catch(() => undefined);
        settled.abort();
      }
    },
  };
}

/** Returns a function that checks whether the credential of a request still gives access to its project. */
export function createCredentialCheck(ctx: ApiContext, request: FastifyRequest): () => Promise<boolean> {
  const { id: projectId } = request.project;
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const hash = hashSecret(authorization.replace(/^Bearer +/i, '').trimEnd());
    return () => isSecretOfProject(ctx.pool, projectId, hash);
  }
  return async () => {
    const token = await readSessionToken(ctx, request);
    const account = token && (await findSession(ctx.pool, token));
    return account !== null && (await findMemberProject(ctx, account.id, projectId)) !== null;
  };
}
