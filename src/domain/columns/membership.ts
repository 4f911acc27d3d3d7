/** How the members of a tracked segment differ from the contacts of its condition, by the columns. */
import { changedMembership, type MembershipChange } from '../segments/sql/members.js';
import { contactsOfLog, contactsWhere } from '../conditions/sql/conditions.js';
import { selectIds } from './sql/columns.js';
import { ask, type ColumnQuestion } from './answer.js';
import { idAt, idsFromBytes, marked } from './ids.js';
import { idsOf } from './match.js';
import type { Found } from './newest.js';

export interface MembershipDifference {
  /** In pages by contact id, those that have changed since the columns were made at last. */
  pages: (size: number) => Generator<MembershipChange[]>;
}

/** As of the question's moment; null when there are no columns, or they can't say. */
export async function membershipByColumns(
  question: ColumnQuestion,
  segmentId: string,
): Promise<MembershipDifference | null> {
  const { tx, projectId, predicate } = question;
  const answer = await ask(question, { id: 'ids' });
  if (!answer) return null;
  const members = idsFromBytes(await selectIds(tx, contactsOfLog(projectId, { kind: 'member', segmentId })));
  const changed = answer.changed ? await changedMembership(tx, contactsWhere(projectId, predicate), segmentId) : [];
  return {
    *pages(size) {
      let page: MembershipChange[] = [];
      for (const found of answer.found) {
        for (const change of differencesIn(found, members)) {
          page.push(change);
          if (page.length < size) continue;
          yield page;
          page = [];
        }
      }
      page.push(...changed);
      if (page.length > 0) yield page;
    },
  };
}

function* differencesIn({ chunk, mask, live }: Found, members: Uint32Array): Generator<MembershipChange> {
  const ids = idsOf(chunk);
  const member = marked(ids, members);
  for (let slot = 0; slot < mask.contacts; slot++) {
    if (mask.bytes[slot] === member.bytes[slot] || live?.bytes[slot] === 0) continue;
    yield { contactId: idAt(ids, slot), joins: mask.bytes[slot] === 1 };
  }
}
