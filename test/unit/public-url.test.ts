import { describe, expect, test } from 'vitest';
import { inboundHost } from '../../src/config.js';
import { testConfig } from '../helpers/project.js';

const publicUrl = (environment: Record<string, string>) => testConfig('postgresql://x', environment).PUBLIC_URL;

describe('PUBLIC_URL', () => {
  test.each(['http://mail.example.com', 'http://0.0.0.0:3000', 'http://localhost.example.com', 'http://10.0.0.1'])(
    '%s is rejected in production, with a message that names the variable',
    (PUBLIC_URL) => {
      expect(() => publicUrl({ NODE_ENV: 'production', PUBLIC_URL })).toThrow(/PUBLIC_URL: must be an https URL/);
      expect(publicUrl({ NODE_ENV: 'development', PUBLIC_URL })).toBe(PUBLIC_URL);
    },
  );

  test('is rejected in production if it is unset and the API listens on all interfaces', () => {
    expect(() => publicUrl({ NODE_ENV: 'production', PUBLIC_URL: '', HOST: '0.0.0.0' })).toThrow(/PUBLIC_URL/);
  });

  test.each(['https://mail.example.com', 'http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    '%s is accepted in production',
    (PUBLIC_URL) => {
      expect(publicUrl({ NODE_ENV: 'production', PUBLIC_URL })).toBe(PUBLIC_URL);
    },
  );
});

describe('the host of addresses in List-Unsubscribe', () => {
  const PUBLIC_URL = 'https://mail.example.com';
  const hostOf = (environment: Record<string, string>) =>
    inboundHost(testConfig('postgresql://x', { PUBLIC_URL, ...environment }));

  test.each([
    ['the host of PUBLIC_URL', { INBOUND_SMTP_PORT: '2525' }, 'mail.example.com'],
    [
      'the first of INBOUND_MX',
      { INBOUND_SMTP_PORT: '2525', INBOUND_MX: ' IN.example.com. , b.test' },
      'in.example.com',
    ],
    ['one without return paths', { INBOUND_SMTP_PORT: '2525', VERP: 'false' }, 'mail.example.com'],
    ['that of a listener in another process', { VERP: 'true' }, 'mail.example.com'],
    ['none without a listener', { INBOUND_MX: 'in.example.com' }, undefined],
  ])('is %s', (_, environment, host) => expect(hostOf(environment)).toBe(host));
});
