import { expect, test } from 'vitest';
import {
  guessDelimiter,
  guessTarget,
  guessType,
  readRows,
} from '../../../packages/dashboard/src/features/contacts/import/csv.js';

test('quoted cells can contain delimiters, quotation marks, and line breaks', () => {
  expect(readRows('email,note\r\na@b.c,"x, ""y""\nz"\n', ',', 9)).toEqual([
    ['email', 'note'],
    ['a@b.c', 'x, "y"\nz'],
  ]);
});

test('empty lines are left out, and no more rows are read than asked for', () => {
  expect(readRows('a\n\nb\nc', ',', 2)).toEqual([['a'], ['b']]);
  expect(readRows('a,b', ',', 2)).toEqual([['a', 'b']]);
});

test.each([
  ['email,name\n', ','],
  ['email;name\n', ';'],
  ['email\tname\n', '\t'],
  ['email|name\n', '|'],
  ['email\n', ','],
])('the delimiter of %j is %j', (text, delimiter) => {
  expect(guessDelimiter(text)).toBe(delimiter);
});

test.each([
  ['E-Mail', { to: 'email' }],
  ['email address', { to: 'email' }],
  ['Subscribed', { to: 'subscribed' }],
  ['Zeitzone', { to: 'timezone' }],
  ['', { to: null }],
  ['plan.name', { to: 'data.plan_name', type: 'string' }],
])('the column %j becomes %j', (header, target) => {
  expect(guessTarget(header, ['a'])).toEqual(target);
});

test.each([
  [['1', '-2.5', ''], 'number'],
  [['01067'], 'string'],
  [['true', 'FALSE'], 'boolean'],
  [['2026-11-23', '2026-11-23T10:00:00Z'], 'date'],
  [[''], 'string'],
])('the type of %j is %s', (samples, type) => {
  expect(guessType(samples)).toBe(type);
});
