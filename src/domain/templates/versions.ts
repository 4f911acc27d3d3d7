/** The versions of templates: the content after each change. A trigger adds them (record_template_version.sql). */
import type { Design } from '../../../packages/email-blocks/src/index.js';
import type { ApiContext } from '../../context.js';
import { notFound } from '../../errors.js';
import { type EditorName } from '../content/design.js';
import { readDesign } from '../content/stored-design.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { decodePlace, encodePlace, invalidCursor, type CursorPage } from '../pagination.js';
import { requireTemplate, type Template } from './get.js';
import { countVersions, selectVersions } from './sql.js';
import { changeTemplate, type ChangeOptions } from './write.js';

/** A version in the list. */
export interface ListedVersion {
  version: number;
  subject: string | null;
  createdAt: Date;
  /** The id of a user; null for a key. */
  createdBy: string | null;
}

export interface TemplateVersion extends ListedVersion {
  preheader: string | null;
  body: string | null;
  from: string | null;
  fromName: string | null;
  replyTo: string | null;
  type: EmailTypeName;
  editor: EditorName;
  design: Design | null;
  draft: boolean;
}

/** Marks the cursors of this list. */
const CURSOR_MARK = 'version';
const MAX_VERSION = 2_147_483_647;

/**
 * Returns one page of a template's versions, newest first. `total` is 0 after the first page.
 *
 * @throws TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422, field `cursor`) for a cursor of another list
 */
export async function listVersions(
  ctx: ApiContext,
  projectId: string,
  templateId: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<CursorPage<ListedVersion>> {
  await requireTemplate(ctx, projectId, templateId);
  const before = cursor === undefined ? MAX_VERSION : readCursor(cursor);
  const [rows, total] = await Promise.all([
    selectVersions(ctx.pool, { projectId, templateId, before, limit: limit + 1 }),
    cursor === undefined ? countVersions(ctx.pool, projectId, templateId) : 0,
  ]);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return { data, cursor: hasMore && last ? encodePlace([CURSOR_MARK, String(last.version)]) : null, hasMore, total };
}

function readCursor(cursor: string): number {
  const [mark, version] = decodePlace(cursor);
  const parsed = parseVersion(version);
  if (mark !== CURSOR_MARK || parsed === null) throw invalidCursor();
  return parsed;
}

/** Returns null for text that is not the number of a version. */
function parseVersion(text: string): number | null {
  const version = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return version >= 1 && version <= MAX_VERSION ? version : null;
}

/** @throws TEMPLATE_NOT_FOUND, VERSION_NOT_FOUND (404), also for a malformed version */
export async function getVersion(
  ctx: ApiContext,
  projectId: string,
  templateId: string,
  versionText: string,
): Promise<TemplateVersion> {
  await requireTemplate(ctx, projectId, templateId);
  const version = parseVersion(versionText);
  const row =
    version === null
      ? null
      : await ctx.prisma.templateVersion.findUnique({
          where: { projectId_templateId_version: { projectId, templateId, version } },
          omit: { projectId: true, templateId: true },
        });
  if (!row) throw notFound('VERSION');
  return { ...row, design: readDesign(row.design) };
}

/**
 * Gives a template the content of one of its versions, which creates a new version. Name and description stay.
 *
 * A version that was a draft makes the template a draft.
 *
 * @throws TEMPLATE_NOT_FOUND, VERSION_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); 403 if the sender's
 * domain of a version that is not a draft is no longer verified
 */
export async function restoreVersion(
  ctx: ApiContext,
  projectId: string,
  templateId: string,
  version: string,
  options: ChangeOptions,
): Promise<Template> {
  const {
    version: _version,
    createdAt: _at,
    createdBy: _by,
    ...content
  } = await getVersion(ctx, projectId, templateId, version);
  return changeTemplate(ctx, { projectId, id: templateId, ...options }, async () => content);
}
