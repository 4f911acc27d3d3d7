/** The HTML of a message, complete except for its variables and its tracking. */
import { withUnsubscribeFooter } from '../../mail/footer.js';
import { withPreheader } from '../../mail/preheader.js';
import type { EmailTypeName } from './sql/emails.js';

export interface HtmlParts {
  type: EmailTypeName;
  body: string;
  preheader: string | null;
  /** Of the project. */
  language: string;
  /** Of the project, for the footer. */
  postalAddress: string | null;
}

/** Adds the unsubscribe footer of marketing email, and the preheader. @throws TemplateError of kind `parse` */
export function completeHtml({ type, body, preheader, ...footer }: HtmlParts): string {
  return withPreheader(type === 'MARKETING' ? withUnsubscribeFooter(body, footer) : body, preheader);
}
