import { domainToASCII } from 'node:url';
import { domainOf } from '../domains/sender.js';

/** Returns the Message-ID of an email without brackets. It is derived from the id, so every attempt has the same. */
export const messageIdOf = (emailId: string, from: string): string => `${emailId}@${messageIdDomain(from)}`;

/** Returns the part of a Message-ID after the `@`, in ASCII. */
export const messageIdDomain = (from: string): string => domainToASCII(domainOf(from)) || 'localhost';
