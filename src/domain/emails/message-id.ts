import { domainToASCII } from 'node:url';
import { domainOf } from '../domains/sender.js';

/** The Message-ID of an email, without brackets: made of its id, so that every attempt carries the same. */
export const messageIdOf = (emailId: string, from: string): string =>
  `${emailId}@${domainToASCII(domainOf(from)) || 'localhost'}`;
