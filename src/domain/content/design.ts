/** Which editor a content has, and the body that the server writes from a design (additions, section 2). */
import type { Context } from '../../context.js';
import { toHtml, type Design } from '../../../packages/email-blocks/src/index.js';
import { validationError } from '../../errors.js';
import { Prisma } from '../../generated/prisma/client.js';
import { loadBrand } from './brand.js';

export const EDITORS = ['html', 'blocks'] as const;
export type EditorName = (typeof EDITORS)[number];

/** A body with its editor. The design is null unless the editor is `blocks`; then the body is its HTML. */
export interface EditedBody {
  editor: EditorName;
  design: Design | null;
  body: string | null;
}

/** What a request gives. */
export interface BodyInput {
  editor?: EditorName;
  design?: Design | null;
  body?: string | null;
}

export const EMPTY_BODY: EditedBody = { editor: 'html', design: null, body: null };

/**
 * Returns the body that a request asks for; null if it stays as it was before.
 *
 * A given design makes the editor `blocks`. A changed body alone makes it `html`, and so does a design of null.
 *
 * @throws VALIDATION_ERROR (422, field `design`) for blocks without a design, and for a design with the editor `html`
 */
export async function resolveBody(
  { pool }: Pick<Context, 'pool'>,
  projectId: string,
  { editor, design, body }: BodyInput,
  before: Pick<EditedBody, 'editor' | 'body'>,
): Promise<EditedBody | null> {
  if (design) {
    if (editor === 'html') throw invalidDesign('must be null with the editor html');
    return { editor: 'blocks', design, body: toHtml(design, await loadBrand(pool, projectId)) };
  }
  if (editor === 'blocks') {
    if (design === null || before.editor !== 'blocks') throw invalidDesign('is required with the editor blocks');
    return null;
  }
  const isHtml = editor === 'html' || design === null || (body !== undefined && body !== before.body);
  if (!isHtml || (before.editor === 'html' && (body === undefined || body === before.body))) return null;
  return { editor: 'html', design: null, body: body === undefined ? before.body : body };
}

const invalidDesign = (message: string): Error => validationError([{ field: 'design', message, code: 'custom' }]);

/** Returns the value to store with Prisma, which has its own value for null. */
export const toStoredDesign = (design: Design | null): Design | typeof Prisma.DbNull =>
  design === null ? Prisma.DbNull : design;
