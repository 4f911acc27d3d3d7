/** Lists of mail domains, from packages that contain the data (about 2 MB of memory, no network access). */
import { domainToASCII } from 'node:url';

export interface Lists {
  /** Whether the domain or a parent belongs to a service of disposable addresses. */
  isDisposable: (domain: string) => boolean;
  /** Whether the domain or a parent belongs to a service that forwards to other mailboxes. */
  isAlias: (domain: string) => boolean;
  /** Whether the domain belongs to a public mailbox provider. */
  isPersonal: (domain: string) => boolean;
  /** Providers' domains that others may be typos of, most used first. */
  wellKnown: readonly string[];
}

/** Providers that the packages do not have, most used first. */
const MORE_PROVIDERS = [
  'protonmail.com',
  'proton.me',
  'yandex.com',
  'zoho.com',
  'gmx.com',
  'gmx.at',
  'gmx.ch',
  'gmx.fr',
  'gmx.es',
  'gmx.co.uk',
  'gmx.us',
  'fastmail.com',
  'fastmail.net',
  'tutanota.com',
  'tutanota.de',
  'tutamail.com',
  'tuta.com',
  'tuta.io',
  'keemail.me',
  'zohomail.com',
  'zohomail.eu',
  'posteo.de',
  'posteo.net',
  'mailfence.com',
  'startmail.com',
  'kolabnow.com',
  'disroot.org',
  'riseup.net',
  'magenta.de',
  'xfinity.com',
  'bbox.fr',
  'ziggo.nl',
  'xs4all.nl',
  'hispeed.ch',
  'proximus.be',
  'telia.com',
  'online.no',
  'mail.dk',
  'op.pl',
  'tlen.pl',
  'meta.ua',
  'internet.ru',
  'yandex.by',
  'yandex.kz',
  'yandex.ua',
  'kakao.com',
  'sohu.com',
  '139.com',
  '189.cn',
  'mynet.com',
];

/**
 * Services whose addresses forward to another mailbox, with the shared domains in their documentation. The list is
 * ours, because packages mix such services with disposable domains. Subdomains belong to customers of the services.
 */
const ALIAS_DOMAINS: ReadonlySet<string> = new Set([
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

/** Example domains (RFC 2606, section 3, and others) that the package of providers contains by mistake. */
const PLACEHOLDERS = new Set([
  'example.com',
  'example.net',
  'example.org',
  'test.com',
  'test.de',
  'yourdomain.com',
  'mydomain.com',
]);

/**
 * Loads the lists: disposable domains from `disposable-email-domains-js`, providers from `email-providers` and
 * `email-misspelled`. Disposable and forwarding services in the list of providers do not count as personal.
 */
export async function loadLists(): Promise<Lists> {
  const [disposableList, { default: providerList }, { all: mostUsed }] = await Promise.all([
    import('disposable-email-domains-js'),
    import('email-providers'),
    import('email-misspelled'),
  ]);
  const disposable = disposableList.disposableEmailBlocklistSet();
  const wellKnown = [...mostUsed, ...MORE_PROVIDERS];
  const providers = new Set([...providerList.map(toAscii), ...wellKnown]);
  const isDisposable = (domain: string): boolean => isWithin(disposable, domain);
  const isAlias = (domain: string): boolean => isWithin(ALIAS_DOMAINS, domain);
  return {
    isDisposable,
    isAlias,
    isPersonal: (domain) =>
      providers.has(domain) && !PLACEHOLDERS.has(domain) && !isDisposable(domain) && !isAlias(domain),
    wellKnown,
  };
}

const toAscii = (domain: string): string => (/^[!-~]*$/.test(domain) ? domain : domainToASCII(domain));

/** Whether a list contains the domain or a parent with at least two labels. */
function isWithin(domains: ReadonlySet<string>, domain: string): boolean {
  const labels = domain.split('.');
  return labels.slice(0, -1).some((_, index) => domains.has(labels.slice(index).join('.')));
}
