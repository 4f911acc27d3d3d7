/** The log of attempts without an acceptance. The row of an email has its last result. */

/**
 * Returns a data-modifying statement for a WITH clause. It stores attempts.
 *
 * @param attempts a query with project_id, email_id, number, outcome (DEFERRED, FAILED, or UNKNOWN), response, and error
 */
export const storeAttempts = (attempts: string): string => `
  INSERT INTO email_attempts (project_id, email_id, number, outcome, response, error)${attempts}
  ON CONFLICT DO NOTHING`;
