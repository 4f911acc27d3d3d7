/**
 * SQL: the row belongs to the project of `$1`, as a filter that no index serves. For lookups of a list of ids, which are
 * unique across projects: with an ordinary comparison, PostgreSQL reads all rows of a project whenever it believes that
 * the project has fewer rows than the list (prisma/migrations/20261122100000_statistics).
 */
export const ofProject = (column: string): string => `${column} IS NOT DISTINCT FROM $1`;
