/** Tables for layout. They are the only layout that all email clients support. */
import { normalizeColor } from '../colors.js';
import type { Block } from '../schema.js';
import { writeAttributes, writeStyle } from './escape.js';
import type { Scope } from './scope.js';

export const TABLE = { role: 'presentation', cellpadding: 0, cellspacing: 0, border: 0 } as const;

/** The space above and below a block without `spacing`, in pixels. */
const DEFAULT_SPACING = { top: 8, bottom: 8 };

export interface CellOptions {
  align?: string;
  style?: Record<string, string | number | null | undefined>;
  className?: string | null;
  spacing?: { top: number; bottom: number };
  /** The space at the sides, in pixels. By default, that of the scope. */
  inset?: number;
}

/** Writes the table of a block with one cell. */
export function writeBlockTable(block: Block, scope: Scope, content: string, options: CellOptions = {}): string {
  const { top, bottom } = block.spacing ?? options.spacing ?? DEFAULT_SPACING;
  const background = block.background ? normalizeColor(block.background) : null;
  const cell = writeAttributes({
    align: options.align,
    bgcolor: background,
    class: options.className,
    style: writeStyle({
      padding: `${top}px ${options.inset ?? scope.inset}px ${bottom}px`,
      'background-color': background,
      ...options.style,
    }),
  });
  return `<table${writeAttributes({ ...TABLE, width: '100%' })}><tr><td${cell}>${content}</td></tr></table>`;
}

/** Writes HTML that only Outlook for Windows reads. */
export const forOutlook = (html: string): string => `<!--[if mso]>${html}<![endif]-->`;
