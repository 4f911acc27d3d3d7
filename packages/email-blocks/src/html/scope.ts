/** What the surroundings of a block decide about its HTML: the width, the colors, and the direction. */
import { readableOn } from '../colors.js';
import type { Block } from '../schema.js';
import { DarkColors, type Brand, type Theme } from './theme.js';

export interface Scope {
  theme: Theme;
  brand: Brand;
  /** The width of the content, without the space at its sides, in pixels. */
  width: number;
  /** The space at the sides of the content, in pixels. */
  inset: number;
  textColor: string;
  mutedColor: string;
  linkColor: string;
  lineColor: string;
  /** Null on backgrounds that dark mode keeps. */
  textClass: string | null;
  mutedClass: string | null;
  linkClass: string | null;
  lineClass: string | null;
  /** Returns the class of text in a color that the author has chosen. */
  darkClass: (color: string) => string | null;
}

export function createScope(
  theme: Theme,
  brand: Brand,
  { width, inset, dark }: { width: number; inset: number; dark: DarkColors },
): Scope {
  return {
    theme,
    brand,
    width,
    inset,
    textColor: theme.text,
    mutedColor: theme.muted,
    linkColor: theme.link,
    lineColor: theme.line,
    textClass: 'sl-text',
    mutedClass: 'sl-muted',
    linkClass: 'sl-link',
    lineClass: 'sl-line',
    darkClass: (color) => dark.classOf(color),
  };
}

/** Returns the scope inside a block. Dark mode keeps the background of a block, and so the colors on it. */
export function scopeOn(scope: Scope, { background }: Pick<Block, 'background'>): Scope {
  if (!background) return scope;
  const color = readableOn(background);
  return {
    ...scope,
    textColor: color,
    mutedColor: color,
    linkColor: color,
    lineColor: color,
    textClass: null,
    mutedClass: null,
    linkClass: null,
    lineClass: null,
    darkClass: () => null,
  };
}

/** Returns `left` or `right`. Email clients do not support `start` and `end`. */
export function resolveAlign(align: 'start' | 'center' | 'end' | null | undefined, { theme }: Scope): string {
  if (align === 'center') return 'center';
  return (align === 'end') === (theme.direction === 'rtl') ? 'left' : 'right';
}
