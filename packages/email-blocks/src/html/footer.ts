/** The footer: free text, the postal address, and the links to unsubscribe and to the preferences. */
import { escapeContent, escapeText, writeAttributes, writeStyle } from './escape.js';
import type { BlockOf } from '../schema.js';
import { openLink, writeInline } from './inline.js';
import { resolveAlign, type Scope } from './scope.js';
import { writeBlockTable } from './table.js';
import { baseLanguage } from './theme.js';

const UNSUBSCRIBE: Record<string, string> = {
  en: 'Unsubscribe',
  de: 'Abmelden',
  fr: 'Se désabonner',
  es: 'Darse de baja',
  it: 'Annulla iscrizione',
  nl: 'Afmelden',
  pt: 'Cancelar inscrição',
};

export interface FooterLink {
  text: string;
  href: string;
}

/** Returns the links of a footer. */
export function footerLinks({ unsubscribe, preferences }: BlockOf<'footer'>, language: string): FooterLink[] {
  const links = [
    { text: unsubscribe ?? UNSUBSCRIBE[baseLanguage(language)] ?? 'Unsubscribe', href: '{{ unsubscribeUrl }}' },
    { text: preferences ?? '', href: '{{ manageUrl }}' },
  ];
  return links.filter(({ text }) => text !== '');
}

export function writeFooter(block: BlockOf<'footer'>, scope: Scope): string {
  const address = block.hasAddress === false ? null : scope.brand.postalAddress;
  const color = scope.mutedColor;
  const links = footerLinks(block, scope.theme.language).map(
    ({ text, href }) =>
      `${openLink(
        { href },
        { class: scope.mutedClass, style: writeStyle({ color, 'text-decoration': 'underline' }) },
      )}${escapeContent(text)}</a>`,
  );
  const lines = [
    writeInline(block.content ?? [], { ...scope, linkColor: color, linkClass: scope.mutedClass }),
    escapeText(address ?? '').replace(/\r\n?|\n/g, '<br>'),
    links.join(' &middot; '),
  ].filter((line) => line !== '');
  const align = resolveAlign(block.align ?? 'center', scope);
  const style = writeStyle({
    margin: '0 0 4px',
    'font-family': scope.theme.font,
    'font-size': '12px',
    'line-height': '18px',
    color,
    'text-align': align,
  });
  const paragraph = writeAttributes({ class: scope.mutedClass, style });
  return writeBlockTable(block, scope, lines.map((line) => `<p${paragraph}>${line}</p>`).join(''), {
    align,
    spacing: { top: 24, bottom: 8 },
  });
}
