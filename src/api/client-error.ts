/** Responses to requests that Node's HTTP parser rejects, before a handler could. They also use the error envelope. */
import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../errors.js';
import { errorBody } from './plugins/errors.js';

function parserErrorOf(code: string | undefined): ApiError {
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

/** Sends the error and closes the connection, because the start of the next request is unknown. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  // The client has closed the connection.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const rejection = parserErrorOf(error.code);
    const requestId = randomUUID();
    const body = JSON.stringify(errorBody(rejection, requestId));
    const headers = [
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${requestId}`,
      'Connection: close',
    ];
    socket.write(
      `HTTP/1.1 ${rejection.status} ${STATUS_CODES[rejection.status] ?? ''}\r\n${headers.join('\r\n')}\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}
