import { domainToASCII } from 'node:url';
import { domainOf } from '../domains/sender.js';

/** Returns the Message-ID of an email without brackets. It is derived from the id, so every attempt has the same. */
export const messageIdOf = (emailId: string, from: string): string =>
  `${emailId}@${domainToASCII(domainOf(from)) || 'localhost'}`;
