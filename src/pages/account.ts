/** The pages that links in emails to users open if no dashboard is configured. */
import { html, NOTHING } from './html.js';
import { layout } from './layout.js';

const LANGUAGE = 'en';

/** Only its button verifies, because mail scanners follow links. */
export const verifyPage = (action: string): string =>
  layout(
    LANGUAGE,
    'Verify your email address',
    html`<p>Confirm that this email was sent to your address and that you created the account.</p>
      <form method="post" action="${action}"><button type="submit">Verify the address</button></form>`,
  );

export const verifiedPage = (): string =>
  layout(LANGUAGE, 'Your address is verified', html`<p class="state" role="status">You can close this page.</p>`);

/** @param problem why the submitted password was rejected */
export const resetPage = (action: string, problem?: string): string =>
  layout(
    LANGUAGE,
    'Choose a new password',
    html`${problem === undefined ? NOTHING : html`<p class="state" role="alert">${problem}</p>`}
      <form method="post" action="${action}">
        <p>
          <label for="password">New password, at least 8 characters</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="new-password"
            minlength="8"
            maxlength="1000"
            required
          />
        </p>
        <button type="submit">Change the password</button>
      </form>`,
  );

export const resetDonePage = (): string =>
  layout(
    LANGUAGE,
    'Your password was changed',
    html`<p class="state" role="status">All sessions have ended. Log in with the new password.</p>`,
  );

export const unusableTokenPage = (): string =>
  layout(
    LANGUAGE,
    'This link does not work',
    html`<p>It was already used, is older than an hour, or is incomplete. Request a new email.</p>`,
  );
