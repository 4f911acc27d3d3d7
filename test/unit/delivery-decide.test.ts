import { describe, expect, it } from 'vitest';
import { decideResult } from '../../src/domain/delivery/decide.js';
import { State } from '../../src/domain/delivery/states.js';
import { MAX_ATTEMPTS } from '../../src/domain/emails/retry.js';
import type { SmtpResult } from '../../src/mail/smtp/job.js';

const server = 'mail.test:25';
const unsent = (stage: 'connect' | 'envelope' | 'data', response: string | null): SmtpResult => ({
  outcome: 'unsent',
  stage,
  error: response ?? 'The server closed the connection.',
  response,
  server,
});
const rejected = (response: string, permanent: boolean): SmtpResult => ({
  outcome: 'rejected',
  permanent,
  stage: 'after-data',
  error: response,
  response,
  server,
});

describe('the result of an email', () => {
  it('is SENT if the server accepted it', () => {
    expect(decideResult({ outcome: 'accepted', response: '250 ok', server }, 1)).toMatchObject({
      state: State.SENT,
      response: '250 ok',
      error: null,
    });
  });

  it('is FAILED after a permanent rejection, and a retry after a temporary one', () => {
    expect(decideResult(rejected('550 no', true), 1)).toMatchObject({ state: State.FAILED, response: '550 no' });
    expect(decideResult(rejected('451 later', false), 1)).toMatchObject({ state: State.RETRY, response: '451 later' });
  });

  it('is a retry that is ambiguous if the connection ended before the reply', () => {
    expect(decideResult({ outcome: 'inDoubt', error: 'closed', server }, 1)).toMatchObject({
      state: State.RETRY,
      isAmbiguous: true,
    });
  });

  it.each([
    ['no server is reachable', unsent('connect', null)],
    ['the server replies 421 to the connection', unsent('connect', '421 4.7.0 too many connections')],
    ['the connection ends during the envelope', unsent('envelope', null)],
    ['the connection ends during the content', unsent('data', null)],
    ['the server requires other credentials', unsent('envelope', '530 5.7.0 authentication required')],
  ])('is open if %s', (_reason, result) => {
    expect(decideResult(result, 1)).toBeNull();
  });

  it('is a retry, later after each attempt, if the server replies 421 to its envelope', () => {
    const closing = unsent('envelope', '421 4.3.2 closing');
    expect(decideResult(closing, 1)).toMatchObject({
      state: State.RETRY,
      error: '421 4.3.2 closing',
      response: '421 4.3.2 closing',
      isAmbiguous: false,
    });
    expect(decideResult(closing, 5)?.retryMs).toBeGreaterThan(4 * (decideResult(closing, 1)?.retryMs ?? 0));
    expect(decideResult(closing, MAX_ATTEMPTS)).toMatchObject({ state: State.FAILED, response: '421 4.3.2 closing' });
  });
});
