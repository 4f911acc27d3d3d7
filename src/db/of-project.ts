/**
 * SQL: the row belongs to the project of `$1`, as a filter that no index serves.
 *
 * For lookups by a list of ids, which are unique across projects. With an ordinary comparison, PostgreSQL reads all
 * rows of a project if it estimates fewer rows for the project than for the list
 * (prisma/migrations/20261122120000_statistics).
 */
export const ofProject = (column: string): string => `${column} IS NOT DISTINCT FROM $1`;
