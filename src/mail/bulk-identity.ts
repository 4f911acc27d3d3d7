/**
 * The headers that identify bulk mail: `Feedback-ID` for the spam reports of mailbox providers, and `List-ID`
 * (RFC 2919) for the filters of readers.
 */
import { encodeName } from './mime-words.js';

export interface BulkIdentity {
  /**
   * Up to three identifiers and the sender, separated by colons. Gmail counts complaints per identifier, so no
   * identifier may be unique to an email, or occur in two fields.
   */
  feedbackId: string;
  list: {
    /** A name below a domain of the installation. It never changes, because readers filter by it. */
    id: string;
    /** For people. */
    name: string;
  };
}

/** In lower case. */
export const IDENTITY_HEADERS = ['feedback-id', 'list-id'] as const;

/** The longest header line before it is folded. */
const LINE_LENGTH = 76;

/** Returns the header lines, except for headers that the caller set. @param given their names in lower case */
export function identityLines({ feedbackId, list }: BulkIdentity, given: ReadonlySet<string>): string {
  return (
    (given.has('feedback-id') ? '' : `Feedback-ID: ${feedbackId}\r\n`) + (given.has('list-id') ? '' : listIdLine(list))
  );
}

function listIdLine({ id, name }: BulkIdentity['list']): string {
  const used = 'List-ID: '.length;
  const phrase = encodeName(name, used);
  const fits = !phrase.includes('\n') && used + phrase.length + id.length + 3 <= LINE_LENGTH;
  return `List-ID: ${phrase}${fits ? ' ' : '\r\n '}<${id}>\r\n`;
}
