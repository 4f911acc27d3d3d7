/**
 * The public pages of a subscription. Only their buttons change anything, because mail scanners follow links.
 */
import { html, NOTHING, type Html } from './html.js';
import { wordsOf, writeDay, type Language } from './language.js';
import { layout } from './layout.js';

/** The durations in days of the breaks that the preferences page offers. */
export const SNOOZE_DAYS = [30, 60, 90] as const;

export interface SubscriptionPage {
  language: Language;
  email: string;
  /** The name of the sender of the emails. */
  sender: string;
  subscribed: boolean;
  snoozedUntil: Date | null;
  /** The paths of this recipient's pages; null if the recipient is not a contact, and has only the current page. */
  paths: { unsubscribe: string; subscribe: string; manage: string } | null;
}

/** Returns a form with one button. Without `action`, it posts to the current page. */
const button = (label: string, action?: string): Html =>
  action === undefined
    ? html`<form method="post"><button type="submit">${label}</button></form>`
    : html`<form method="post" action="${action}"><button type="submit" class="plain">${label}</button></form>`;

const manageLink = ({ language, paths }: SubscriptionPage): Html =>
  paths ? html`<p><a href="${paths.manage}">${wordsOf(language).manage.link}</a></p>` : NOTHING;

/** Returns a button that posts to another page of the recipient, for readers who change their mind. */
const undoButton = ({ language, paths }: SubscriptionPage, page: 'subscribe' | 'unsubscribe'): Html =>
  paths
    ? html`<p>${wordsOf(language).changedMind}</p>
        ${button(wordsOf(language)[page].button, paths[page])}`
    : NOTHING;

/** Asks for confirmation, or shows that the contact is already unsubscribed. */
export function unsubscribePage(page: SubscriptionPage): string {
  const { unsubscribe } = wordsOf(page.language);
  if (!page.subscribed && page.snoozedUntil === null) return unsubscribedPage(page);
  return layout(
    page.language,
    unsubscribe.title,
    html`<p>${unsubscribe.question(page.email, page.sender)}</p>
      ${button(unsubscribe.button)}${manageLink(page)}`,
  );
}

export function unsubscribedPage(page: SubscriptionPage): string {
  const { unsubscribe } = wordsOf(page.language);
  return layout(
    page.language,
    unsubscribe.doneTitle,
    html`<p class="state" role="status">${unsubscribe.done(page.email, page.sender)}</p>
      ${undoButton(page, 'subscribe')}${manageLink(page)}`,
  );
}

export function subscribePage(page: SubscriptionPage): string {
  const { subscribe } = wordsOf(page.language);
  if (page.subscribed) return subscribedPage(page);
  return layout(
    page.language,
    subscribe.title,
    html`<p>${subscribe.question(page.email, page.sender)}</p>
      ${button(subscribe.button)}${manageLink(page)}`,
  );
}

export function subscribedPage(page: SubscriptionPage): string {
  const { subscribe } = wordsOf(page.language);
  return layout(
    page.language,
    subscribe.doneTitle,
    html`<p class="state" role="status">${subscribe.done(page.email, page.sender)}</p>
      ${undoButton(page, 'unsubscribe')}${manageLink(page)}`,
  );
}

/** Shows the current state and a button for each other state. */
export function managePage(page: SubscriptionPage): string {
  const { language, subscribed, snoozedUntil } = page;
  const { unsubscribe, subscribe, manage } = wordsOf(language);
  const state = subscribed
    ? manage.subscribed
    : snoozedUntil
      ? manage.snoozed(writeDay(language, snoozedUntil))
      : manage.unsubscribed;
  // An unsubscribed contact gets no break, because its end would subscribe the contact again.
  const breaks =
    subscribed || snoozedUntil
      ? html`<fieldset>
          <legend>${manage.snooze}</legend>
          ${SNOOZE_DAYS.map((days) => html`<button class="plain" name="action" value="snooze-${days}">${manage.days(days)}</button>`)}
        </fieldset>`
      : NOTHING;
  return layout(
    language,
    manage.title,
    html`<p>${manage.about(page.email, page.sender)}</p>
      <p class="state" role="status">${state}</p>
      <form method="post">
        ${
          subscribed ? NOTHING : html`<button name="action" value="subscribe">${subscribe.button}</button>`
        }${subscribed || snoozedUntil ? html`<button name="action" value="unsubscribe">${unsubscribe.button}</button>` : NOTHING}${breaks}
      </form>`,
  );
}

/** Returns a page without a contact: for an invalid link, a deleted contact, or a failure. */
export function plainPage(language: Language, kind: 'gone' | 'invalid' | 'failed'): string {
  const { title, text } = wordsOf(language)[kind];
  return layout(language, title, html`<p>${text}</p>`);
}
