/** The German sentences of a history, from those that the server writes. */
import { expect, test } from 'vitest';
import { translateSummary } from '../../../packages/dashboard/src/features/workflows/execution/sentences.js';
import type { Operator } from '../../../src/domain/conditions/tree.js';
import { OPERATORS } from '../../../src/domain/conditions/tree.js';
import * as server from '../../../src/domain/executions/words.js';

const german = (summary: string): string => translateSummary(summary, 'de');
const DATE = new Date('2026-11-24T06:09:36.123Z');
const HOUR_MS = 3_600_000;

const fill = (sentence: string): string =>
  sentence.replace('%1$s', 'Welcome').replace('%2$s', 'MARKETING').replace('%3$s', 'acme.test').replace('%s', 'signup');

test('every sentence about starts, emails, waits, and ends has a translation', () => {
  const sentences = [
    ...Object.values(server.STARTED).map(fill),
    ...Object.values(server.SENDING).map(fill),
    server.PROJECT_DISABLED,
    server.STEP_DELETED,
    server.CANCELLED_IN_TEMPORAL,
    server.CANCELLED_BY_API,
    server.UNEXPECTED_ERROR,
    server.waitingUntil(DATE, 36 * HOUR_MS),
    server.waitedUntil(DATE, 90_000),
    server.WAIT_SKIPPED,
    server.waitingForEvent('bought', DATE),
    server.waitingForEvent('bought', null),
    server.eventOccurred('bought', DATE),
    server.eventTimedOut('bought', 24 * HOUR_MS),
    server.exitSummary(null),
    server.exitSummary('no plan'),
    server.contactUpdated(['plan', 'since'], ['trial'], 'subscribed'),
    server.contactUpdated([], [], 'unsubscribed'),
    server.contactUpdated([], [], null),
  ];
  expect(sentences.filter((sentence) => german(sentence) === sentence)).toEqual([]);
});

test('every comparison has a translation, with its values', () => {
  const compare = (operator: Operator, passes: boolean): string =>
    `${server.describeFilter({ field: 'data.plan', operator, value: 'pro' }, '"free"', passes)}. ${server.followedBranch('no')}`;
  for (const operator of OPERATORS) {
    for (const passes of [true, false]) {
      const sentence = german(compare(operator, passes));
      expect(sentence).not.toMatch(/which|\b(?:is|does|has) /);
      expect(sentence).toContain('"pro"');
      expect(sentence).toMatch(/Weiter im Zweig „no“\.$/);
    }
  }
});

test('values and names stay as they are', () => {
  expect(german('contact.data.plan is "a. b", which equals "a. b". Followed the branch "yes".')).toBe(
    'contact.data.plan ist "a. b". Vergleich: ist gleich "a. b". Weiter im Zweig „yes“.',
  );
  expect(german(server.waitingUntil(DATE, 36 * HOUR_MS))).toBe(
    'Wartet 1 Tag 12 Stunden, bis 2026-11-24T06:09:36.123Z.',
  );
  expect(
    german('POST to shop.test failed at attempt 2. The receiver responded with 500. The request will be retried.'),
  ).toBe(
    'POST an shop.test ist fehlgeschlagen (Versuch 2). Der Empfänger antwortete mit 500. Die Anfrage wird wiederholt.',
  );
  expect(german('event.total is missing, and no branch matches. Followed the branch "default".')).toBe(
    'event.total ist nicht vorhanden, und kein Zweig passt. Weiter im Zweig „default“.',
  );
});

test('what has no translation stays as it is, and so does everything in English', () => {
  expect(german('Something else happened.')).toBe('Something else happened.');
  expect(translateSummary(server.WAIT_SKIPPED, 'en')).toBe(server.WAIT_SKIPPED);
});
