/** The content of emails to users, in the template language. */
import type { TokenPurpose } from './sql/tokens.js';

export interface EmailContent {
  subject: string;
  body: string;
}

/** Returns a body with a paragraph, a button, and the link as text. Its variables are `link` and `email`. */
const renderBody = (title: string, text: string, button: string, footer: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1f2328;background:#f4f5f7">
<div style="max-width:34rem;margin:0 auto;padding:28px 24px;background:#fff;border:1px solid #d8dce1;border-radius:12px">
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25">${title}</h1>
<p>${text}</p>
<p><a href="{{ link }}" style="display:inline-block;padding:12px 18px;font-weight:600;color:#fff;background:#1f4fd8;border-radius:8px;text-decoration:none">${button}</a></p>
<p>If the button does not work, open this link:<br><a href="{{ link }}" style="color:#1f4fd8;word-break:break-all">{{ link }}</a></p>
<p style="color:#59636e">${footer}</p>
</div>
</body>
</html>
`;

/** The email of each purpose. `{{ email }}` is the account's address and `{{ link }}` opens the dashboard with the token. */
export const EMAIL_CONTENT: Record<TokenPurpose, EmailContent> = {
  verification: {
    subject: 'Verify your email address',
    body: renderBody(
      'Verify your email address',
      'An account was created with {{ email }}. Confirm that this address is yours.',
      'Verify email address',
      'The link is valid for one hour and works once. If you did not create an account, ignore this email. ' +
        'The address is then never verified.',
    ),
  },
  'password-reset': {
    subject: 'Reset your password',
    body: renderBody(
      'Reset your password',
      'We received a request to reset the password of the account {{ email }}.',
      'Choose a new password',
      'The link is valid for one hour and works once. A new password ends all sessions. ' +
        'If you did not request it, ignore this email. Your password then stays the same.',
    ),
  },
};

/** The notice to the former address of an account. Its variables are `link`, `email`, and `newEmail`. */
export const ADDRESS_CHANGED: EmailContent = {
  subject: 'The address of your account has changed',
  body: renderBody(
    'The address of your account has changed',
    'The account {{ email }} now has the address {{ newEmail }}. Emails about the account go there.',
    'Open the dashboard',
    'If you did not change it, someone else knows your password. Contact the operator of this installation.',
  ),
};

/** The dashboard's page for each kind of token. */
const PATHS: Record<TokenPurpose, string> = {
  verification: '/auth/verify-email',
  'password-reset': '/auth/reset-password',
};

export const tokenLink = (dashboardUrl: string, purpose: TokenPurpose, token: string): string =>
  `${dashboardUrl}${PATHS[purpose]}?token=${token}`;

/** The test that users send to themselves. Its variables are `link` and `email`. */
export const TEST_EMAIL: EmailContent = {
  subject: 'Your first email from Sendloom',
  body: renderBody(
    'It works',
    'Sendloom has delivered this email to {{ email }}. Next, verify a domain of yours, and send emails from it.',
    'Open the dashboard',
    'You requested this email on the start page of a project.',
  ),
};
