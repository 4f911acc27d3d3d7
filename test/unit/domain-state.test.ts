import { expect, test } from 'vitest';
import { GRACE_MS, nextState, type DomainState } from '../../src/domain/domains/state.js';

const NOW = new Date('2026-05-01T12:00:00Z');
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
const HOUR = 3_600_000;
const pending: DomainState = { status: 'PENDING', verifiedAt: null, failingSince: null };
const verified: DomainState = { status: 'VERIFIED', verifiedAt: ago(1000 * HOUR), failingSince: null };

test('a pending domain that passes is verified from now on', () =>
  expect(nextState(pending, 'passed', NOW)).toEqual({ status: 'VERIFIED', verifiedAt: NOW, failingSince: null }));

test('a pending domain that fails stays pending', () => expect(nextState(pending, 'failed', NOW)).toEqual(pending));

test('a verified domain that passes keeps its verification time', () =>
  expect(nextState(verified, 'passed', NOW)).toEqual(verified));

test('a verified domain that fails stays verified, and its 72 hours begin', () =>
  expect(nextState(verified, 'failed', NOW)).toEqual({ ...verified, failingSince: NOW }));

test('a verified domain that fails for less than 72 hours stays verified', () => {
  const failing = { ...verified, failingSince: ago(GRACE_MS - 1) };
  expect(nextState(failing, 'failed', NOW)).toEqual(failing);
});

test('a verified domain that fails for 72 hours becomes pending', () => {
  expect(GRACE_MS).toBe(72 * HOUR);
  expect(nextState({ ...verified, failingSince: ago(GRACE_MS) }, 'failed', NOW)).toEqual(pending);
});

test('one passed check ends the 72 hours', () =>
  expect(nextState({ ...verified, failingSince: ago(71 * HOUR) }, 'passed', NOW)).toEqual(verified));

test('a domain that another project has verified fails, and is verified after that project releases it', () => {
  const taken = nextState(pending, 'taken', NOW);
  expect(taken).toEqual({ status: 'FAILED', verifiedAt: null, failingSince: null });
  expect(nextState(taken, 'passed', NOW).status).toBe('VERIFIED');
  expect(nextState(taken, 'failed', NOW).status).toBe('PENDING');
});
