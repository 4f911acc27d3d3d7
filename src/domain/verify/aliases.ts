/**
 * Services that give out addresses which forward to another mailbox. No package lists them alone (the lists of
 * disposable domains that have them can't tell them from throw-away mail), so this list is ours: the shared domains
 * that each service names in its documentation. Names below them belong to their customers.
 */
export const ALIAS_DOMAINS: ReadonlySet<string> = new Set([
  // Apple, Hide My Email
  'privaterelay.appleid.com',
  // DuckDuckGo, Email Protection
  'duck.com',
  // Mozilla, Firefox Relay
  'mozmail.com',
  'relay.firefox.com',
  // SimpleLogin and Proton Pass
  '8alias.com',
  '8shield.net',
  'aleeas.com',
  'dralias.com',
  'passfwd.com',
  'passinbox.com',
  'passmail.com',
  'passmail.net',
  'silomails.com',
  'simplelogin.co',
  'simplelogin.com',
  'simplelogin.fr',
  'slmail.me',
  'slmails.com',
  // addy.io
  '4wrd.cc',
  'addy.biz',
  'addymail.com',
  'anonaddy.com',
  'anonaddy.me',
  'mailer.me',
  // Others
  '33mail.com',
  'bumpmail.io',
  'burnermail.io',
  'erine.email',
  'opayq.com',
  'spamgourmet.com',
]);
