/**
 * What Node's HTTP parser refuses, before there is a request that a handler could answer: in the envelope of the
 * specification like every other error.
 */
import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../errors.js';
import { errorBody } from './plugins/errors.js';

function refusalOf(code: string | undefined): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('BAD_REQUEST', 'The request did not arrive in time.', { status: 408 });
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('BAD_REQUEST', `The headers of the request are larger than ${maxHeaderSize} bytes.`, {
        status: 431,
      });
    default:
      return new ApiError('BAD_REQUEST', 'The request is not well-formed HTTP.');
  }
}

/** Answers and closes the connection: where in it another request would begin is not known any more. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // Nobody is there to read an answer.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const refusal = refusalOf(error.code);
    const requestId = randomUUID();
    const body = JSON.stringify(errorBody(refusal, requestId));
    const headers = [
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${requestId}`,
      'Connection: close',
    ];
    socket.write(
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${headers.join('\r\n')}\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}
