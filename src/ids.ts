/** Ids are UUIDs of version 7, so that later rows sort later. */
import { v7, validate } from 'uuid';

export const newId = (): string => v7();

/** Sorts before all ids: the cursor of the first page. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Whether the text is a UUID. PostgreSQL rejects anything else with an error. */
export const isId = (value: string): boolean => validate(value);

/** The milliseconds of an id, 48 bits. */
const MAX_TIME = 2 ** 48 - 1;

/** Returns the lowest id of a moment (UUID v7, RFC 9562), which are those since 1970. */
export const lowestId = (moment: Date): string =>
  Math.min(Math.max(moment.getTime(), 0), MAX_TIME)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-0000-0000-000000000000');
