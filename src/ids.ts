/** Ids: UUID v7, so that rows made later sort later. */
import { v7, validate } from 'uuid';

export const newId = (): string => v7();

/** Whether a path or body id can be one of ours; PostgreSQL would refuse anything else with an error. */
export const isId = (value: string): boolean => validate(value);
