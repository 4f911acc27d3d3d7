/** What the mails to users say, in the template language: pure. */
import type { TokenPurpose } from './sql/auth-tokens.js';

export interface MailContent {
  subject: string;
  body: string;
}

/**
 * A paragraph for a reader, a button, and the address beneath it for who can't press one. `link` and `email` come as
 * variables.
 */
const page = (title: string, text: string, button: string, end: string): string =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1f2328;background:#f4f5f7">
<div style="max-width:34rem;margin:0 auto;padding:28px 24px;background:#fff;border:1px solid #d8dce1;border-radius:12px">
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25">${title}</h1>
<p>${text}</p>
<p><a href="{{ link }}" style="display:inline-block;padding:12px 18px;font-weight:600;color:#fff;background:#1f4fd8;border-radius:8px;text-decoration:none">${button}</a></p>
<p>If the button does nothing, open this address:<br><a href="{{ link }}" style="color:#1f4fd8;word-break:break-all">{{ link }}</a></p>
<p style="color:#59636e">${end}</p>
</div>
</body>
</html>
`;

/**
 * The mail of each purpose; `{{ email }}` is the account's address, `{{ link }}` the place in the dashboard with the
 * token.
 */
export const MAILS: Record<TokenPurpose, MailContent> = {
  verification: {
    subject: 'Verify your email address',
    body: page(
      'Verify your email address',
      'An account was made with {{ email }}. Confirm that this address is yours.',
      'Verify the address',
      'The link works once, for an hour. If you made no account, do nothing: without the link the address is never verified.',
    ),
  },
  'password-reset': {
    subject: 'Reset your password',
    body: page(
      'Reset your password',
      'Somebody, probably you, asked for a new password for the account of {{ email }}.',
      'Choose a new password',
      'The link works once, for an hour. A new password ends all sessions. If you asked for none, do nothing: your password stays as it is.',
    ),
  },
};

/** Where the dashboard takes each token. */
const PATHS: Record<TokenPurpose, string> = {
  verification: '/auth/verify-email',
  'password-reset': '/auth/reset-password',
};

export const tokenLink = (dashboardUrl: string, purpose: TokenPurpose, token: string): string =>
  `${dashboardUrl}${PATHS[purpose]}?token=${token}`;
