import { describe, expect, it } from 'vitest';
import { createLinks } from '../../src/mail/links.js';
import { decryptSecret, encryptSecret } from '../../src/mail/secrets.js';

const SECRET = '0123456789abcdef0123456789abcdef';
const CONTACT = '01890a5d-ac96-774b-bcce-b302099a8057';
const EMAIL = '01890a5d-ac96-774b-bcce-b302099a8058';
const links = createLinks({ secretKey: SECRET, publicUrl: 'https://mail.example.com/' });
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

describe('signed links', () => {
  it('have one path each', () => {
    expect(links.unsubscribeUrl(CONTACT)).toMatch(/^https:\/\/mail\.example\.com\/unsubscribe\/[\w-]{43}$/);
    expect(links.subscribeUrl(CONTACT, EMAIL)).toMatch(/^https:\/\/mail\.example\.com\/subscribe\/[\w-]{64}$/);
    expect(links.manageUrl(CONTACT)).toContain('/manage/');
    expect(links.oneClickUrl(CONTACT, EMAIL)).toBe(links.unsubscribeUrl(CONTACT, EMAIL));
  });

  it('identify their contact and email', () => {
    expect(links.verify(tokenOf(links.unsubscribeUrl(CONTACT)), 'unsubscribe')).toEqual({ contactId: CONTACT });
    expect(links.verify(tokenOf(links.manageUrl(CONTACT, EMAIL)), 'manage')).toEqual({
      contactId: CONTACT,
      emailId: EMAIL,
    });
  });

  it('of earlier versions are still accepted', () => {
    expect(links.verify('AYkKXayWd0u8zrMCCZqAV6Y39zERjK9X_zbdKaUJhms', 'unsubscribe')).toEqual({ contactId: CONTACT });
    expect(links.verify('AYkKXayWd0u8zrMCCZqAVwGJCl2slndLvM6zAgmagFictKd4FLjTIoC_oAaEnqCe', 'subscribe')).toEqual({
      contactId: CONTACT,
      emailId: EMAIL,
    });
    expect(links.unsubscribeUrl(CONTACT, EMAIL)).toBe(
      'https://mail.example.com/unsubscribe/AYkKXayWd0u8zrMCCZqAVwGJCl2slndLvM6zAgmagFiAo7mFgeNMVsfcH_F2lnXD',
    );
  });

  it('are invalid for another purpose, contact, or installation', () => {
    const token = tokenOf(links.unsubscribeUrl(CONTACT));
    expect(links.verify(token, 'subscribe')).toBeNull();
    expect(
      createLinks({ secretKey: `${SECRET}x`, publicUrl: 'https://a.example' }).verify(token, 'unsubscribe'),
    ).toBeNull();
    for (let at = 0; at < token.length; at += 1) {
      const changed = `${token.slice(0, at)}${token.charAt(at) === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      expect(links.verify(changed, 'unsubscribe')).toBeNull();
    }
    for (const other of ['', 'x', `${token}=`, `${token} `, `${token}A`, token.slice(1), 'ü'.repeat(43)])
      expect(links.verify(other, 'unsubscribe')).toBeNull();
  });

  it('accept only UUIDs', () => {
    expect(() => links.unsubscribeUrl('not-a-uuid')).toThrow(TypeError);
  });
});

describe('the targets of List-Unsubscribe', () => {
  const mailed = createLinks({ secretKey: SECRET, publicUrl: 'https://mail.example.com', mailHost: 'in.example.com' });
  const contact = { contactId: CONTACT, emailId: EMAIL };
  const reader = { projectId: CONTACT, address: 'ada+ünï@example.net', emailId: EMAIL };

  it('are the link, and an address if mail can be received', () => {
    expect(links.unsubscribeTargets(contact)).toEqual({ url: links.unsubscribeUrl(CONTACT, EMAIL) });
    const { url, mailto = '' } = mailed.unsubscribeTargets(contact);
    expect(url).toBe(links.unsubscribeUrl(CONTACT, EMAIL));
    expect(mailto).toMatch(/^u-[a-z2-7]{61}@in\.example\.com$/);
    expect(mailed.unsubscribeTargets(contact).mailto).toBe(mailto);
    for (const address of [mailto, mailto.toUpperCase(), `${mailto}.`])
      expect(links.readUnsubscribeAddress(address)).toEqual({ ...contact, host: 'in.example.com' });
  });

  it('name the address if the recipient is not a contact, without showing it', () => {
    const { url, mailto = '' } = mailed.unsubscribeTargets(reader);
    expect(mailed.unsubscribeTargets(reader)).toEqual({ url, mailto });
    expect(links.verifyAddress(tokenOf(url))).toEqual(reader);
    expect(Buffer.from(tokenOf(url), 'base64url').toString('latin1')).not.toContain('ada');
    expect(links.verify(tokenOf(url), 'unsubscribe')).toBeNull();
    expect(links.readUnsubscribeAddress(mailto)).toEqual({ contactId: null, emailId: EMAIL, host: 'in.example.com' });
  });

  it('are invalid after any change, and for another installation', () => {
    const { url, mailto = '' } = mailed.unsubscribeTargets(reader);
    const token = tokenOf(url);
    const other = createLinks({ secretKey: `${SECRET}x`, publicUrl: 'https://a.example' });
    expect([other.verifyAddress(token), other.readUnsubscribeAddress(mailto)]).toEqual([null, null]);
    for (let at = 0; at < token.length; at += 1) {
      const changed = `${token.slice(0, at)}${token.charAt(at) === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      expect(links.verifyAddress(changed)).toBeNull();
    }
    for (let at = 2; at < mailto.indexOf('@'); at += 1) {
      const changed = `${mailto.slice(0, at)}${mailto.charAt(at) === 'a' ? 'b' : 'a'}${mailto.slice(at + 1)}`;
      expect(links.readUnsubscribeAddress(changed)).toBeNull();
    }
    const contactToken = tokenOf(links.unsubscribeUrl(CONTACT, EMAIL));
    for (const invalid of ['', contactToken, `${token}=`, `${token}A`, token.slice(1), 'A'.repeat(600)])
      expect(links.verifyAddress(invalid)).toBeNull();
    for (const invalid of ['', '@', 'u-@a.test', mailto.slice(2), `x${mailto}`, mailto.replace('u-', 'b+')])
      expect(links.readUnsubscribeAddress(invalid)).toBeNull();
  });
});

describe('stored secrets', () => {
  it('decrypt to their value, and each encryption differs', () => {
    const encrypted = encryptSecret(SECRET, 'schlüssel');
    expect(encrypted).toMatch(/^v1\./);
    expect(encrypted).not.toBe(encryptSecret(SECRET, 'schlüssel'));
    expect(decryptSecret(SECRET, encrypted)).toBe('schlüssel');
  });

  it('are rejected with another key or after a change', () => {
    const encrypted = encryptSecret(SECRET, 'secret');
    expect(() => decryptSecret(`${SECRET}x`, encrypted)).toThrow(/SECRET_KEY/);
    expect(() => decryptSecret(SECRET, `${encrypted.slice(0, -2)}${encrypted.endsWith('AA') ? 'BB' : 'AA'}`)).toThrow(
      /SECRET_KEY/,
    );
    expect(() => decryptSecret(SECRET, 'v2.abc')).toThrow(/format/);
  });
});
