/** The column of errors.csv with the reason. Imports ignore a column of this name. */
export const ERROR_COLUMN = 'sendloom_error';
