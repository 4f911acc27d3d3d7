/** What `npm start` prints when everything is ready. */

export interface BannerAddresses {
  api: string;
  inbox?: string;
  inbound?: string;
  temporalUi?: string;
  database: string;
}

/** The addresses, and first requests to paste. */
export function banner({ api, inbox, inbound, temporalUi, database }: BannerAddresses): string {
  const rows = [
    ['API', api],
    ['API docs', `${api}/docs`],
    ['Inbox', inbox ?? '(mail goes to SMTP_URL)'],
    ['Bounces to', inbound ?? '(not configured: set INBOUND_SMTP_PORT)'],
    ['Temporal UI', temporalUi ?? '(the one of TEMPORAL_ADDRESS)'],
    ['PostgreSQL', withoutPassword(database)],
  ];
  return `
Sendloom is ready.

${rows.map(([name, value]) => `  ${`${name}`.padEnd(12)} ${value}`).join('\n')}

To send a first mail, from sign-up to the inbox, paste this into another terminal:

${firstRequest(api)}
Then open ${inbox ?? 'the mailbox'}. For a campaign to 1,000 contacts, run: npm run demo
Press Ctrl-C to stop everything.

`;
}

// Names contain the time, so that the commands can be pasted again. The API shows a secret key only once, when its
// project is created.
function firstRequest(api: string): string {
  return `  N=$(date +%s)
  call() { curl -s -b .cookies -c .cookies -H 'content-type: application/json' "$@"; echo; }
  call ${api}/auth/signup -d '{"email":"me'$N'@example.test","password":"correct horse"}'
  KEY=$(call ${api}/users/@me/projects -d '{"name":"First"}' | grep -o 'sk_[0-9a-f]*')
  AUTH="authorization: Bearer $KEY"
  call ${api}/domains -H "$AUTH" -d '{"domain":"first'$N'.test"}'
  call ${api}/v1/send -H "$AUTH" -d '{"to":"ann@example.test","from":"hi@first'$N'.test","subject":"Hello","body":"<h1>It works</h1>"}'
`;
}

// The embedded server's password is shown because it is needed to connect manually.
function withoutPassword(url: string): string {
  const parsed = new URL(url);
  if (parsed.hostname === '127.0.0.1') return url;
  if (parsed.password) parsed.password = '***';
  return parsed.href;
}
