/** Designs of the block editor in requests and responses (additions, section 2). */
import { z } from 'zod';
import { Design } from '../../packages/email-blocks/src/index.js';
import { EDITORS } from '../domain/content/design.js';

const Editor = z.enum(EDITORS);

/** The fields of a response. */
export const editedFields = {
  editor: Editor.describe('With `blocks`, the server has written `body` from `design`.'),
  design: Design.nullable().describe('Null with the editor `html`.'),
};

/** The fields of a request. */
export const editorFields = {
  editor: Editor.optional().describe(
    'Follows from the other fields: `blocks` with a `design`, and `html` with a changed `body` alone. `html` without ' +
      'a `body` keeps the HTML and drops the design.',
  ),
  design: Design.nullish().describe(
    'A document of the block editor. The server writes `body` from it. An error names its place in `design`, such as ' +
      '`design.blocks.2.columns.0.1.src`.',
  ),
};

/** Requires a body or a design, also while other fields have errors. */
export const requireBody = <T extends z.ZodType>(schema: T) =>
  schema.superRefine(
    (value, issues) => {
      const { body, design } = Object(value);
      if (body === undefined && (design === undefined || design === null))
        issues.addIssue({ code: 'invalid_type', expected: 'string', path: ['body'], input: undefined });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );
