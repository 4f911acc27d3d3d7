/** The live feed: pages of new entries for the listeners of `GET /projects/:id/stream`. */
import type { Context } from '../../context.js';
import { markOf, type Mark, type OpenTransactions } from '../../db/snapshots.js';
import { showSubjects, toActivity, type Activity } from './feed.js';
import { encodePosition, positionAt, FIRST_PLACE, type Place, type Position } from './live-position.js';
import { selectNews, type News } from './live-sql.js';
import { selectActivityDetails, type ActivityRow } from './sql.js';

/** A message of the live feed. */
export interface LiveActivity {
  /** The position after this entry: the message's id. */
  id: string;
  entry: Activity;
}

export interface LivePage {
  messages: LiveActivity[];
  /** The position after this page. Without a window, the listener has received everything before its mark. */
  next: Position;
}

/** A position with the transactions that were open at its mark, if they are known. */
export interface FeedState {
  position: Position;
  open: OpenTransactions | null;
}

/**
 * Returns the next page after a position.
 *
 * @param end the mark up to which to read, or the open transactions to read up to the present. They must have been read
 *   before this call
 */
export async function readLivePage(
  ctx: Pick<Context, 'pool' | 'config'>,
  projectId: string,
  { position, open }: FeedState,
  end: { until: Mark } | { present: OpenTransactions },
): Promise<LivePage> {
  const bound = position.window?.until ?? ('until' in end ? end.until : null);
  const news = await selectNews(ctx.pool, {
    projectId,
    position,
    open: open?.transactions ?? null,
    readAt: open?.readAt ?? null,
    until: bound?.snapshot ?? null,
  });
  const until = bound ?? ('present' in end ? markOf(news.snapshot, end.present) : position.mark);
  const refs = news.sends ? [...news.entries, news.sends.last] : news.entries;
  const rows = await showSubjects(ctx, projectId, await selectActivityDetails(ctx.pool, refs));
  const messages = toMessages(rows, news, position, until);
  const lastPlace = news.lastPlace ?? (rows.at(-1) && placeOf(rows.at(-1)));
  return {
    messages,
    next: news.lastPlace
      ? { place: news.lastPlace, mark: position.mark, window: { until, sendsUntil: null } }
      : positionAt(until, lastPlace ?? position.place),
  };
}

const placeOf = (row: ActivityRow | undefined): Place => (row ? { at: row.at.toISOString(), id: row.id } : FIRST_PLACE);

/**
 * Entries before the one that stands for the sends carry the place from which sends are missing. So a listener that is
 * disconnected before that one receives the sends later.
 */
function toMessages(rows: ActivityRow[], { sends, lastPlace }: News, position: Position, until: Mark): LiveActivity[] {
  const from = position.window ? position.place : FIRST_PLACE;
  let sendsUntil: Place | null = sends ? (position.window?.sendsUntil ?? from) : null;
  return rows.map((row, index) => {
    const entry = toActivity(row);
    const isSummary = sends !== null && row.id === sends.last.id;
    if (isSummary) sendsUntil = null;
    const place = placeOf(row);
    const isEnd = index === rows.length - 1 && lastPlace === null && sendsUntil === null;
    return {
      id: encodePosition(
        isEnd ? positionAt(until, place) : { place, mark: position.mark, window: { until, sendsUntil } },
      ),
      entry: isSummary ? { ...entry, metadata: { ...entry.metadata, summary: summaryOf(sends) } } : entry,
    };
  });
}

const summaryOf = ({ count, firstAt, last }: NonNullable<News['sends']>) => ({
  count,
  from: firstAt,
  until: last.at,
});
