import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../src/mail/derived-key.js';
import { createLinks } from '../../src/mail/links.js';
import { createMac } from '../../src/mail/mac.js';

const SECRET = '0123456789abcdef0123456789abcdef';
const EMAIL = '01890a5d-ac96-774b-bcce-b302099a8058';
const OTHER = '01890a5d-ac96-774b-bcce-b302099a8059';
const links = createLinks({ secretKey: SECRET, publicUrl: 'https://mail.example.com/' });
const { tracking } = links;
const clickUrl = (url: string): string => tracking.of(EMAIL).clickUrl(url) ?? '';
const tokenOf = (url: string): string => (url.split('/').at(-1) ?? '').replace(/\.gif$/, '');

/** Every token that differs from this one in one character. */
const changed = (token: string): string[] =>
  Array.from(token, (char, at) => `${token.slice(0, at)}${char === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`);

describe('the code of a tracking link', () => {
  it('is an HMAC-SHA256, truncated to 132 bits', () => {
    const key = deriveKey(SECRET, 'test');
    const mac = createMac(key, 200);
    for (const text of ['', 'a', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(200), 'then a short one']) {
      const hmac = () => createHmac('sha256', key).update(text);
      expect(mac.code(text)).toBe(hmac().digest('base64url').slice(0, 22));
      expect(mac.digest(text)).toBe(hmac().digest('binary'));
    }
    expect(() => mac.code('x'.repeat(201))).toThrow(RangeError);
  });
});

describe('tracking links', () => {
  it('add 44 characters to the address of the pixel, and 66 to the address of a target', () => {
    expect(tracking.of(EMAIL).pixelUrl()).toMatch(/^https:\/\/mail\.example\.com\/o\/[\w-]{44}\.gif$/);
    expect(clickUrl('https://shop.test/')).toMatch(/^https:\/\/mail\.example\.com\/c\/[\w-]{90}$/);
  });

  it('of one email begin with the same token, and links to one target end with the same code', () => {
    const { token } = tracking.of(EMAIL);
    expect(tracking.of(EMAIL).pixelUrl()).toBe(`https://mail.example.com/o/${token}.gif`);
    expect(tokenOf(clickUrl('https://shop.test/a')).slice(0, 44)).toBe(token);
    const other = tokenOf(tracking.of(OTHER).clickUrl('https://shop.test/a') ?? '');
    expect(other.slice(44)).toBe(tokenOf(clickUrl('https://shop.test/a')).slice(44));
    expect(tracking.withToken('x').clickUrl('https://shop.test/a')).toBe(
      `https://mail.example.com/c/x${other.slice(44)}`,
    );
  });

  it('of earlier versions are still accepted', () => {
    const click = 'AYkKXayWd0u8zrMCCZqAWA-nDAiI5sG83-wXjsQ1a85_aHR0cHM6Ly9zaG9wLnRlc3QvYT9iPWMmZD0lQzMlQkMjZQ';
    expect(tracking.readClick(click)).toEqual({ emailId: EMAIL, url: 'https://shop.test/a?b=c&d=%C3%BC#e' });
    for (const token of changed(click)) expect(tracking.readClick(token), token).toBeNull();
    expect(tracking.readOpen('AYkKXayWd0u8zrMCCZqAWAFHaHm1mlPCjNyzHlu25Zzj')).toBe(EMAIL);
  });

  it('identify the email and the target', () => {
    expect(tracking.readOpen(tokenOf(tracking.of(EMAIL).pixelUrl()))).toBe(EMAIL);
    expect(tracking.readClick(tokenOf(clickUrl('https://shop.test/a?b=c&d=ü#e')))).toEqual({
      emailId: EMAIL,
      url: 'https://shop.test/a?b=c&d=%C3%BC#e',
    });
  });

  it('are invalid if a character is changed, removed, or added', () => {
    const open = tokenOf(tracking.of(EMAIL).pixelUrl());
    for (const token of [
      ...changed(open),
      '',
      open.slice(1),
      open.slice(0, -1),
      `${open}A`,
      `${open}=`,
      ` ${open}`,
      'ü'.repeat(44),
    ])
      expect(tracking.readOpen(token), token).toBeNull();
    const click = tokenOf(clickUrl('https://shop.test/a'));
    for (const token of [
      ...changed(click),
      '',
      click.slice(0, 44),
      click.slice(1),
      click.slice(0, -1),
      `${click}A`,
      `${click}=`,
      ` ${click}`,
      'ü'.repeat(60),
      'A'.repeat(5000),
    ])
      expect(tracking.readClick(token), token).toBeNull();
  });

  it('are invalid for another purpose, email, address, or installation', () => {
    const open = tokenOf(tracking.of(EMAIL).pixelUrl());
    const click = tokenOf(clickUrl('https://shop.test/a'));
    expect(tracking.readClick(open)).toBeNull();
    expect(tracking.readOpen(click.slice(0, 66))).toBeNull();
    expect(links.verify(open, 'unsubscribe')).toBeNull();
    const foreign = tokenOf(tracking.of(OTHER).clickUrl('https://shop.test/b') ?? '');
    // The id of one email before the code of another, and the code of one target before another.
    expect(tracking.readClick(click.slice(0, 22) + foreign.slice(22))).toBeNull();
    expect(tracking.readClick(click.slice(0, 66) + foreign.slice(66))).toBeNull();
    const elsewhere = createLinks({ secretKey: `${SECRET}x`, publicUrl: 'https://mail.example.com' }).tracking;
    expect([elsewhere.readOpen(open), elsewhere.readClick(click)]).toEqual([null, null]);
  });

  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'data:text/html,x',
    'mailto:a@b.test',
    'tel:+49123',
    'ftp://a.test/',
    '#top',
    '/path',
    '//shop.test/a',
    'shop.test',
    '',
    'https://',
    'http://a b/',
    'cid:logo',
    'file:///etc/passwd',
  ])('are created only for http and https, not for %j', (url) => {
    expect(tracking.of(EMAIL).clickUrl(url)).toBeNull();
  });

  it.each(['unsubscribe', 'subscribe', 'manage', 'o', 'c'])('are not created for pages of Sendloom: /%s/', (page) => {
    expect(tracking.of(EMAIL).clickUrl(`https://mail.example.com/${page}/token`)).toBeNull();
    expect(tracking.of(EMAIL).clickUrl(`HTTPS://MAIL.example.com:443/${page}/token`)).toBeNull();
    expect(tracking.of(EMAIL).clickUrl(`https://mail.example.com.evil.test/${page}/token`)).not.toBeNull();
  });

  it('lead to the URL as a browser normalizes it: without spaces and line breaks, with the host in ASCII', () => {
    const read = (url: string): string | undefined => tracking.readClick(tokenOf(clickUrl(url)))?.url;
    expect(read(' https://shop.test/a\n')).toBe('https://shop.test/a');
    expect(read('HTTPS://Bücher.test/ü?q=a b')).toBe('https://xn--bcher-kva.test/%C3%BC?q=a%20b');
    expect(read('http://shop.test/a\r\nSet-Cookie: x')).not.toMatch(/[\r\n]/);
  });

  it('are not created for an address that is too long for mail clients', () => {
    expect(tracking.of(EMAIL).clickUrl(`https://shop.test/${'a'.repeat(1400)}`)).not.toBeNull();
    expect(tracking.of(EMAIL).clickUrl(`https://shop.test/${'a'.repeat(1500)}`)).toBeNull();
  });

  it('accept only UUIDs', () => {
    expect(() => tracking.of('not-a-uuid')).toThrow(TypeError);
  });
});
