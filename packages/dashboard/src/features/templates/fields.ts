/** The fields of a template as the page edits them: empty texts instead of nulls. */
import type { Schemas } from '../../../../client/src/index.js';
import type { Content } from '../editor/content.js';
import type { Saved } from '../editor/autosave.js';

export type Template = Schemas['Template'];

export const TYPES = ['MARKETING', 'TRANSACTIONAL', 'HEADLESS'] as const satisfies ReadonlyArray<Template['type']>;
export const STATES = ['draft', 'ready'] as const;
export const SORTS = ['updatedAt', 'createdAt', 'name'] as const;
export const TABS = ['content', 'settings', 'versions', 'usage'] as const;

export interface TemplateFields extends Content {
  name: string;
  description: string;
  from: string;
  fromName: string;
  replyTo: string;
  type: Template['type'];
}

/** A template with the ETag of its version. */
export interface LoadedTemplate {
  template: Template;
  etag: string | null;
}

export const toSaved = ({ template, etag }: LoadedTemplate): Saved<TemplateFields> => ({
  etag,
  fields: {
    name: template.name,
    description: template.description ?? '',
    subject: template.subject ?? '',
    preheader: template.preheader ?? '',
    body: template.body ?? '',
    editor: template.editor,
    design: template.design,
    from: template.from ?? '',
    fromName: template.fromName ?? '',
    replyTo: template.replyTo ?? '',
    type: template.type,
  },
});

const NULLABLE = ['description', 'preheader', 'fromName', 'replyTo'] as const;

/** Returns the body of a PATCH: empty optional fields are null, and the body of blocks is the server's. */
export function toPatch({ body, ...change }: Partial<TemplateFields>) {
  const cleared: Partial<Record<(typeof NULLABLE)[number], null>> = {};
  for (const name of NULLABLE) if (change[name] === '') cleared[name] = null;
  return { ...change, ...cleared, ...(body !== undefined && change.editor !== 'blocks' && { body }) };
}
