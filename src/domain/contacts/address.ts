/** Addresses where they come in numbers: the same rule as that of a request's `email`. */
import { z } from 'zod';

/** RFC 5321 */
const MAX_LENGTH = 254;

/** As addresses are kept (contract, section 3): trimmed, in lower case. */
export const normalizeAddress = (text: string): string => text.trim().toLowerCase();

/** Whether a normalised address can be a contact's. */
export const isAddress = (address: string): boolean => address.length <= MAX_LENGTH && z.regexes.email.test(address);
