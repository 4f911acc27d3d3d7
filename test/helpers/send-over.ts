/** Sends single emails over an SMTP client. */
import type { SmtpClient } from '../../src/mail/smtp/client.js';
import { isServerFailure, TransportError } from '../../src/mail/smtp/errors.js';
import type { SmtpResult } from '../../src/mail/smtp/job.js';

export interface SentEmail {
  from: string;
  to: string;
  raw: Buffer;
}

type Accepted = Extract<SmtpResult, { outcome: 'accepted' }>;

/** The result of an email that was not accepted. */
export class SendError extends TransportError {
  /** Whether the server may have accepted the email. */
  ambiguous = false;
}

/** Hands over one email as urgent. @throws SendError */
export function sendOver(client: Pick<SmtpClient, 'addSource'>, { from, to, raw }: SentEmail): Promise<Accepted> {
  return new Promise((resolve, reject) => {
    let isTaken = false;
    const handle = client.addSource(
      {
        next() {
          if (isTaken) return null;
          isTaken = true;
          return {
            from,
            to,
            content: raw,
            onResult(result) {
              handle.remove();
              if (result.outcome === 'accepted') resolve(result);
              else reject(toError(result));
            },
          };
        },
      },
      { priority: 'urgent' },
    );
  });
}

function toError(result: Exclude<SmtpResult, Accepted>): SendError {
  if (result.outcome === 'inDoubt') {
    const error = new SendError(result.error, { kind: 'connection', stage: 'after-data', server: result.server });
    error.ambiguous = true;
    return error;
  }
  const { outcome, stage, error, response, server } = result;
  const code = response === null ? null : Number(response.slice(0, 3));
  const isAboutServer = outcome === 'unsent' || (code !== null && isServerFailure(code));
  return new SendError(error, {
    kind: isAboutServer ? 'connection' : result.permanent ? 'permanent' : 'transient',
    stage,
    ...(response !== null && code !== null && { response, responseCode: code }),
    ...(server !== null && { server }),
  });
}
