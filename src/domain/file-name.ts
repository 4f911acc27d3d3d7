/** The name of a file that a client sent. */

const MAX_FILENAME_LENGTH = 255;

/** Returns the last part of a path on one line. */
export const plainFileName = (name: string): string =>
  Array.from(
    name
      .replace(/^.*[/\\]/s, '')
      .replace(/\p{Cc}/gu, '')
      .trim(),
  )
    .slice(0, MAX_FILENAME_LENGTH)
    .join('');
