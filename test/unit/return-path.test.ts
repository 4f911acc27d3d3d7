/** Return paths: addresses that identify the bounced email and cannot be forged. */
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { createReturnPaths } from '../../src/mail/return-path.js';

const paths = createReturnPaths('test-secret-key-test-secret-key-test');
const HOST = 'bounces.example.com';

describe('a return path', () => {
  test('is a valid address by RFC 5321 and identifies its email in any case', () => {
    for (let i = 0; i < 200; i++) {
      const emailId = newId();
      const address = paths.of(emailId, HOST);
      expect(address).toMatch(/^b\+[a-z2-7]{45}@bounces\.example\.com$/);
      expect(address.indexOf('@')).toBeLessThanOrEqual(64);
      for (const one of [address, address.toUpperCase(), `${address}.`])
        expect(paths.read(one)).toEqual({ emailId, host: HOST });
    }
  });

  test('of another email, with another key, or with a changed character is invalid', () => {
    const address = paths.of(newId(), HOST);
    expect(createReturnPaths('another-secret-key-another-secret-key').read(address)).toBeNull();
    const token = address.slice(2, address.indexOf('@'));
    for (let at = 0; at < token.length; at++) {
      for (const letter of 'abcdefghijklmnopqrstuvwxyz234567') {
        if (letter === token[at]) continue;
        expect(
          paths.read(`b+${token.slice(0, at)}${letter}${token.slice(at + 1)}@${HOST}`),
          `${at}: ${letter}`,
        ).toBeNull();
      }
    }
  });

  test.each([
    '',
    '@',
    'b+@x.test',
    'ann@x.test',
    'b+aaaa@x.test',
    `b+${'a'.repeat(45)}@x.test`,
    `b+${'a'.repeat(46)}@x.test`,
    `b-${'a'.repeat(45)}@x.test`,
    `b+${'1'.repeat(45)}@x.test`,
    `b+${'ä'.repeat(45)}@x.test`,
  ])('%j is rejected', (address) => {
    expect(paths.read(address)).toBeNull();
  });

  test('accepts only UUIDs', () => {
    for (const id of ['', 'x', '1234']) expect(() => paths.of(id, HOST)).toThrow(TypeError);
  });
});
