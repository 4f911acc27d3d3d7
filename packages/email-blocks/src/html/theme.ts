/** The colors, fonts, and directions of an email: the settings of its design, or the defaults. */
import { lightenFor, normalizeColor } from '../colors.js';
import type { Settings } from '../schema.js';

/** What a project's brand adds to its emails. */
export interface Brand {
  name: string;
  /** An https URL. */
  logoUrl: string | null;
  /** The color of buttons and links. */
  color: string | null;
  postalAddress: string | null;
  /** A language tag. */
  language: string;
}

export interface Theme {
  language: string;
  direction: 'ltr' | 'rtl';
  font: string;
  fontSize: number;
  page: string;
  content: string;
  text: string;
  muted: string;
  line: string;
  link: string;
  accent: string;
}

/** The colors that replace the theme's in dark mode. */
export const DARK = {
  page: '#111113',
  content: '#1c1c1f',
  text: '#ededef',
  muted: '#a1a1aa',
  line: '#3f3f46',
} as const;

const DEFAULT_ACCENT = '#2563eb';
const SANS = 'Helvetica,Arial,sans-serif';
const FONT_STACKS: Record<NonNullable<Settings['font']>, string> = {
  sans: `-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,${SANS}`,
  serif: `Georgia,Times New Roman,serif`,
  mono: `Consolas,Menlo,Courier New,monospace`,
  arial: `Arial,${SANS}`,
  georgia: `Georgia,serif`,
  tahoma: `Tahoma,Geneva,${SANS}`,
  times: `Times New Roman,Times,serif`,
  trebuchet: `Trebuchet MS,${SANS}`,
  verdana: `Verdana,Geneva,${SANS}`,
};
const RTL_LANGUAGES = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function resolveTheme(settings: Settings, brand: Brand): Theme {
  const accent = normalizeColor(brand.color ?? DEFAULT_ACCENT);
  const language = settings.language ?? brand.language;
  return {
    language,
    direction: settings.direction ?? (RTL_LANGUAGES.has(baseLanguage(language)) ? 'rtl' : 'ltr'),
    font: FONT_STACKS[settings.font ?? 'sans'],
    fontSize: settings.fontSize ?? 16,
    page: normalizeColor(settings.pageColor ?? '#f4f4f5'),
    content: normalizeColor(settings.contentColor ?? '#ffffff'),
    text: normalizeColor(settings.textColor ?? '#18181b'),
    muted: '#71717a',
    line: '#e4e4e7',
    link: normalizeColor(settings.linkColor ?? accent),
    accent,
  };
}

/** `pt-BR` → `pt` */
export const baseLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] ?? '';

export interface DarkRule {
  className: string;
  property: 'color' | 'background-color' | 'border-color';
  color: string;
}

/** Collects the classes that dark mode needs, while the blocks are written. */
export class DarkColors {
  readonly #colors = new Map<string, string>();

  /** Returns the class of text in a color that the author has chosen. */
  classOf(color: string): string {
    const name = `sl-${color.slice(1)}`;
    this.#colors.set(name, lightenFor(DARK.content, color));
    return name;
  }

  /** Returns the declarations of dark mode, each with the class that it applies to. */
  rules(theme: Theme): DarkRule[] {
    const colored = [...this.#colors].map(([className, color]) => ({ className, property: 'color', color }) as const);
    return [
      { className: 'sl-page', property: 'background-color', color: DARK.page },
      { className: 'sl-content', property: 'background-color', color: DARK.content },
      { className: 'sl-text', property: 'color', color: DARK.text },
      { className: 'sl-muted', property: 'color', color: DARK.muted },
      { className: 'sl-line', property: 'border-color', color: DARK.line },
      { className: 'sl-link', property: 'color', color: lightenFor(DARK.content, theme.link) },
      ...colored,
    ];
  }
}
