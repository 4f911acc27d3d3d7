/** Positions in the live feed. They are the ids of its messages, and cursors of `GET /activity`. */
import { isSnapshot, type Mark } from '../../db/snapshots.js';
import { FIRST_ID, isId } from '../../ids.js';
import { isTimestamp } from '../pagination.js';

/** A place in the order (time, id). */
export interface Place {
  /** ISO time. */
  at: string;
  id: string;
}

/**
 * What a listener has received: all entries before the mark and, of the window from the mark to `until`, the entries up
 * to `place`. Without a window, `place` is that of the last entry.
 */
export interface Position {
  place: Place;
  mark: Mark;
  window: Window | null;
}

export interface Window {
  until: Mark;
  /** The place up to which the sends of campaigns were received, if it is not `place`. */
  sendsUntil: Place | null;
}

export const FIRST_PLACE: Place = { at: '1970-01-01T00:00:00.000Z', id: FIRST_ID };

/** Returns the position of a listener that has received everything before the mark. */
export const positionAt = (mark: Mark, place: Place = { at: mark.since, id: FIRST_ID }): Position => ({
  place,
  mark,
  window: null,
});

export function encodePosition({ place, mark, window }: Position): string {
  const parts = [place.at, place.id, mark.snapshot, mark.since];
  if (window) {
    parts.push(window.until.snapshot, window.until.since);
    if (window.sendsUntil) parts.push(window.sendsUntil.at, window.sendsUntil.id);
  }
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the position of a message's id, or null for any other text. */
export function decodePosition(text: string): Position | null {
  const parts = readParts(text);
  if (!parts || ![4, 6, 8].includes(parts.length)) return null;
  const [place, mark, until, sendsUntil] = [
    readPlace(parts[0], parts[1]),
    readMark(parts[2], parts[3]),
    readMark(parts[4], parts[5]),
    readPlace(parts[6], parts[7]),
  ];
  if (!place || !mark || (parts.length > 4 && !until) || (parts.length > 6 && !sendsUntil)) return null;
  return { place, mark, window: until && { until, sendsUntil } };
}

function readParts(text: string): string[] | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parsed) && parsed.every((part) => typeof part === 'string') ? parsed : null;
  } catch {
    // The text is not JSON, so it is not a position.
    return null;
  }
}

const readPlace = (at = '', id = ''): Place | null => (isTimestamp(at) && isId(id) ? { at, id } : null);
const readMark = (snapshot = '', since = ''): Mark | null =>
  isSnapshot(snapshot) && isTimestamp(since) ? { snapshot, since } : null;
