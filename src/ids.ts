/** Ids are UUIDs of version 7, so that later rows sort later. */
import { v7, validate } from 'uuid';

export const newId = (): string => v7();

/** Whether the text is a UUID. PostgreSQL rejects anything else with an error. */
export const isId = (value: string): boolean => validate(value);
