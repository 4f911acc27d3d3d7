/** Writes the HTML document of a design, for email clients: tables, inline styles, and conditionals for Outlook. */
import { EMAIL_WIDTH } from '../constants.js';
import type { Design } from '../schema.js';
import { writeBlocks } from './blocks.js';
import { escapeText, escapeContent, writeAttributes, writeStyle } from './escape.js';
import { createScope, resolveAlign, type Scope } from './scope.js';
import { TABLE, forOutlook } from './table.js';
import { DarkColors, resolveTheme, type Brand, type Theme } from './theme.js';

/** The space at the sides of the content, in pixels. */
const INSET = 24;
const LOGO_HEIGHT = 40;

/** Hides the preheader. Its attribute excludes it from the text alternative. */
const HIDDEN = writeStyle({
  display: 'none',
  'max-height': 0,
  'max-width': 0,
  overflow: 'hidden',
  opacity: 0,
  'font-size': '1px',
  'line-height': '1px',
  color: 'transparent',
  'mso-hide': 'all',
});

export interface HtmlOptions {
  /**
   * The text that email clients show after the subject. It is hidden in the email. Leave it out if the preheader is
   * added later, as the server does.
   */
  preheader?: string | null;
}

/**
 * Writes the HTML of a design. Text is escaped. Templates in texts, links, and HTML blocks stay templates.
 *
 * @param design has passed the schema
 */
export function toHtml(design: Design, brand: Brand, options: HtmlOptions = {}): string {
  const settings = design.settings ?? {};
  const theme = resolveTheme(settings, brand);
  const dark = new DarkColors();
  const scope = createScope(theme, brand, { width: EMAIL_WIDTH - 2 * INSET, inset: INSET, dark });
  const blocks = [writeLogo(settings.logo, scope), writeBlocks(design.blocks, scope)].filter((html) => html !== '');
  const { language: lang, direction: dir } = theme;
  const body = writeAttributes({
    class: 'sl-page',
    dir,
    style: writeStyle({ margin: 0, padding: 0, 'background-color': theme.page, 'word-spacing': 'normal' }),
  });
  const html = writeAttributes({
    lang,
    dir,
    'xmlns:o': 'urn:schemas-microsoft-com:office:office',
  });
  return `<!doctype html>
<html${html}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeText(brand.name)}</title>
${OUTLOOK_HEAD}
<style>
${writeCss(theme, dark)}
</style>
</head>
<body${body}>
${writePreheader(options.preheader)}${writeFrame(theme, blocks.join('\n'))}
</body>
</html>
`;
}

const OUTLOOK_HEAD = forOutlook(
  '<xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>' +
    '<style>table,td{border-collapse:collapse;mso-table-lspace:0;mso-table-rspace:0}</style>',
);

function writeCss(theme: Theme, dark: DarkColors): string {
  const rules = dark.rules(theme);
  const important = rules.map(({ className, property, color }) => `.${className}{${property}:${color}!important}`);
  // Outlook on the web and on phones does not support the media query. It marks what it darkens: `ogsb` for backgrounds.
  const outlook = rules.map(({ property }, index) =>
    property === 'background-color' ? `[data-ogsb] ${important[index]}` : `[data-ogsc] ${important[index]}`,
  );
  return [
    ':root{color-scheme:light dark;supported-color-schemes:light dark}',
    'body{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}',
    'img{-ms-interpolation-mode:bicubic}',
    `@media (max-width:${EMAIL_WIDTH - 1}px){.sl-column,.sl-fluid{max-width:100%!important}}`,
    `@media (prefers-color-scheme:dark){\n${important.join('\n')}\n}`,
    ...outlook,
  ].join('\n');
}

function writePreheader(preheader: string | null | undefined): string {
  return preheader ? `<div data-preheader style="${HIDDEN}">${escapeContent(preheader)}</div>\n` : '';
}

/** Centers the content on the page. Outlook for Windows does not support `max-width`, so it gets a table of its own. */
function writeFrame(theme: Theme, content: string): string {
  const page = writeAttributes({
    ...TABLE,
    width: '100%',
    class: 'sl-page',
    bgcolor: theme.page,
    style: writeStyle({ 'background-color': theme.page }),
  });
  const card = writeAttributes({
    ...TABLE,
    align: 'center',
    width: '100%',
    class: 'sl-content',
    bgcolor: theme.content,
    style: writeStyle({ 'max-width': `${EMAIL_WIDTH}px`, 'background-color': theme.content }),
  });
  return `<div${writeAttributes({ role: 'article', 'aria-roledescription': 'email', lang: theme.language, dir: theme.direction })}>
<table${page}><tr><td align="center" style="padding:24px 0">
${forOutlook(`<table${writeAttributes({ ...TABLE, align: 'center', width: EMAIL_WIDTH })}><tr><td>`)}
<table${card}><tr><td class="sl-text"${writeAttributes({
    style: writeStyle({ padding: '16px 0', 'font-family': theme.font, color: theme.text }),
  })}>
${content}
</td></tr></table>
${forOutlook('</td></tr></table>')}
</td></tr></table>
</div>`;
}

function writeLogo(align: 'start' | 'center' | 'end' | null | undefined, scope: Scope): string {
  const { logoUrl, name } = scope.brand;
  if (!align || !logoUrl) return '';
  const side = resolveAlign(align, scope);
  const image = writeAttributes({
    src: logoUrl,
    alt: name,
    height: LOGO_HEIGHT,
    style: writeStyle({ height: `${LOGO_HEIGHT}px`, width: 'auto', 'max-width': '100%', border: 0 }),
  });
  const cell = writeAttributes({ align: side, style: writeStyle({ padding: `8px ${INSET}px`, 'text-align': side }) });
  return `<table${writeAttributes({ ...TABLE, width: '100%' })}><tr><td${cell}><img${image}></td></tr></table>`;
}
