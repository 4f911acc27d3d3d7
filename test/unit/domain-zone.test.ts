import { expect, test } from 'vitest';
import { expectedRecords } from '../../src/domain/domains/records.js';
import { toZone } from '../../src/domain/domains/zone.js';

test('a zone file has each record with absolute names, and splits long texts into strings of at most 255 bytes', () => {
  const publicKey = 'M'.repeat(392);
  const records = expectedRecords({ domain: 'example.com', selector: 's1', publicKey, host: 'mail.sendloom.test' });
  const lines = toZone('example.com', records).trim().split('\n').slice(1);
  expect(lines.map((line) => line.split('\t').slice(0, 4).join(' '))).toEqual([
    's1._domainkey.example.com. 300 IN TXT',
    'example.com. 300 IN TXT',
    '_dmarc.example.com. 300 IN TXT',
    'bounces.example.com. 300 IN CNAME',
  ]);
  const [dkim = '', , , returnPath = ''] = lines.map((line) => line.split('\t').at(-1) ?? '');
  const strings = [...dkim.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
  expect(strings.map(({ length }) => length)).toEqual([255, 410 - 255]);
  expect(strings.join('')).toBe(`v=DKIM1; k=rsa; p=${publicKey}`);
  expect(returnPath).toBe('mail.sendloom.test.');
});
