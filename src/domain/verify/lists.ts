/**
 * The lists that an address is held against: packages with the data inside, read at the first use. They take about 2 MB
 * of memory, and no network.
 */
import { domainToASCII } from 'node:url';
import { ALIAS_DOMAINS } from './aliases.js';

export interface Lists {
  /** Whether the domain, or one above it, hands out addresses to be thrown away. */
  isDisposable: (domain: string) => boolean;
  /** Whether the domain, or one above it, forwards to other mailboxes. */
  isAlias: (domain: string) => boolean;
  /** Whether the domain is one at which anybody can have a mailbox. */
  isPersonal: (domain: string) => boolean;
  /** Domains that others are taken for misspellings of, most used first. */
  wellKnown: readonly string[];
}

/** Providers that the packages lack, most used first. */
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
 * Names that stand for a domain in examples (RFC 2606, section 3, and what people make up), which the list of providers
 * collected with the rest.
 */
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
 * Reads the lists: disposable domains from `disposable-email-domains-js`, providers from `email-providers` and
 * `email-misspelled`.
 *
 * The list of providers has services of disposable and of forwarding addresses too; they count as what they are, not as
 * personal.
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

/** Whether a list has the domain or one above it, down to two labels. */
function isWithin(domains: ReadonlySet<string>, domain: string): boolean {
  const labels = domain.split('.');
  return labels.slice(0, -1).some((_, at) => domains.has(labels.slice(at).join('.')));
}
