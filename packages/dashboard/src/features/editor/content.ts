/** The content of an email as the editors change it. Templates and campaigns have these fields. */
import type { Schemas } from '../../../../client/src/index.js';

export type Design = Schemas['DesignInput'];
export type Block = Schemas['DesignBlockInput'];
export type Inline = Schemas['DesignInlineInput'];
export type Problem = Schemas['Problem'];
export type Rendering = Schemas['Rendering'];
export type EmailType = Schemas['Template']['type'];

export interface Content {
  subject: string;
  preheader: string;
  /** The HTML. With the editor `blocks`, the server writes it from the design. */
  body: string;
  editor: 'html' | 'blocks';
  /** Null with the editor `html`. */
  design: Design | null;
}

/** Returns the fields that differ. */
export function diffFields<Fields extends object>(before: Fields, after: Fields): Partial<Fields> {
  const change: Partial<Fields> = {};
  for (const key in after) if (!isSame(before[key], after[key])) change[key] = after[key];
  return change;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** A design with the HTML in one block, without the parts of a document around the body. */
export function designOfHtml(html: string): Design {
  const body = /<body\b[^>]*>([\s\S]*?)(?:<\/body\s*>|$)/i.exec(html)?.[1] ?? html;
  const styles = [...html.matchAll(/<style\b[\s\S]*?<\/style\s*>/gi)].map(([style]) => style).join('\n');
  const isDocument = body !== html;
  const kept = isDocument && styles !== '' && !body.includes(styles) ? `${styles}\n${body}` : body;
  return { version: 1, blocks: [{ id: newBlockId(), type: 'html', html: kept.trim() }] };
}

export const EMPTY_DESIGN: Design = { version: 1, blocks: [] };

export const newBlockId = (): string => crypto.randomUUID().slice(0, 8);
