/** The unsubscribe footer of marketing email, added to the template before it is compiled. */

interface FooterWords {
  /** Why the reader receives this email. */
  reason: string;
  unsubscribe: string;
}

const ENGLISH: FooterWords = {
  reason: 'You receive this email because you subscribed to our emails.',
  unsubscribe: 'Unsubscribe',
};
const WORDS: Record<string, FooterWords> = {
  en: ENGLISH,
  de: { reason: 'Sie erhalten diese E-Mail, weil Sie unsere E-Mails abonniert haben.', unsubscribe: 'Abmelden' },
  fr: { reason: 'Vous recevez cet e-mail parce que vous êtes abonné à nos e-mails.', unsubscribe: 'Se désabonner' },
  es: { reason: 'Recibe este correo porque se ha suscrito a nuestros correos.', unsubscribe: 'Darse de baja' },
  it: { reason: 'Ricevi questa e-mail perché sei iscritto alle nostre e-mail.', unsubscribe: 'Annulla iscrizione' },
  nl: { reason: 'U ontvangt deze e-mail omdat u zich voor onze e-mails hebt aangemeld.', unsubscribe: 'Afmelden' },
  pt: { reason: 'Você recebe este e-mail porque se inscreveu em nossos e-mails.', unsubscribe: 'Cancelar inscrição' },
};

// Matches an output or a tag that reads the variable, not the bare word. The bound keeps a body of braces from taking
// quadratic time.
const UNSUBSCRIBE_LINK = /\{[{%][^}]{0,300}\b(?:unsubscribeUrl|manageUrl)\b/;

/** Whether the body already contains the unsubscribe or the preferences link. */
export function hasUnsubscribeLink(html: string): boolean {
  return UNSUBSCRIBE_LINK.test(html);
}

/** Text as HTML in a template: neither markup nor a placeholder. */
const escapeText = (text: string): string =>
  text.replaceAll(/[&<>"{]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll(/\r?\n/g, '<br>');

export interface FooterOptions {
  /** A language tag (`de`, `pt-BR`); languages without a translation get English. */
  language: string;
  /** The sender's postal address, in one or more lines; null if the project has none. */
  postalAddress: string | null;
}

/**
 * Adds a footer with `{{ unsubscribeUrl }}` to the template, unless it already has the link.
 *
 * The footer is inserted before the last `</body>` or `</html>`, otherwise at the end. The text alternative is derived
 * from the result, so it contains the link, too.
 */
export function withUnsubscribeFooter(html: string, options: FooterOptions): string {
  if (hasUnsubscribeLink(html)) return html;
  const words = WORDS[options.language.toLowerCase().split(/[-_]/)[0] ?? ''] ?? ENGLISH;
  const address = options.postalAddress === null ? '' : `<br>${escapeText(options.postalAddress)}`;
  const footer =
    '<div style="margin:32px 0 16px;padding:0 16px;font-family:sans-serif;font-size:12px;line-height:1.5;color:#6b7280;text-align:center">' +
    `${words.reason}<br><a href="{{ unsubscribeUrl }}" style="color:#6b7280;text-decoration:underline">${words.unsubscribe}</a>${address}</div>`;
  const lower = html.toLowerCase();
  const end = lower.lastIndexOf('</body>');
  const at = end === -1 ? lower.lastIndexOf('</html>') : end;
  return at === -1 ? `${html}\n${footer}\n` : `${html.slice(0, at)}${footer}\n${html.slice(at)}`;
}
