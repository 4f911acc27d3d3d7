/**
 * Whether a person opened a mail and clicked a link, or a machine did: a mail program that loads images in advance, a
 * gateway that looks for malware behind links, a crawler. Pure. The reasons are explained in docs/tracking.md.
 */
import { isbot } from 'isbot';
import type { HitEmail, Neighbour, QueuedHit, Verdict } from './sql.js';

/** What of a request says who made it. Header names in lower case. */
export interface HitRequest {
  kind: 'open' | 'click';
  method: string;
  headers: Record<string, string | string[] | undefined>;
  /** Whether nobody but this machine's user can ask (local.ts). */
  local?: boolean;
}

const person = (reason: string | null = null): Verdict => ({ machine: false, reason });
const machine = (reason: string): Verdict => ({ machine: true, reason });

/** Proxies that ask when a person opens the mail: what they hide is who and where, not whether. */
const PROXIES: Array<[RegExp, string]> = [
  [/GoogleImageProxy/i, 'google_proxy'],
  [/YahooMailProxy/i, 'yahoo_proxy'],
];

/**
 * Gmail's app loads the images of a mail that comes while it is open, as this browser that nobody has; its images on
 * opening come by the proxy.
 */
const GMAIL_PREFETCH = /Chrome\/42\.0\.2311\.135 Safari\/537\.36 Edge\/12\.246 Mozilla\/5\.0$/;

/** Security products that say their name. */
const SCANNERS =
  /barracuda|mimecast|proofpoint|safelinks|messagelabs|symantec|ironport|cisco.?secure|fortinet|fortimail|fortiguard|sophos|trend ?micro|\btmes\b|forcepoint|zscaler|cloudmark|mcafee|trellix|checkpoint|avanan|vade ?secure|hornetsecurity|spamtitan|bitdefender|kaspersky|virustotal|urlscan/i;

/** Mail programs with a short name of their own, which look like a script's. */
const MAIL_PROGRAMS =
  /\b(?:Thunderbird|Outlook|SamsungEmail|Airmail|Spark|Evolution|ProtonMail|eM ?Client|K-9|KMail|Geary|Postbox|Mailspring|MailMate|Roundcube|Zimbra|Lotus-Notes|QQMail|FairEmail|BlueMail|Nine|CFNetwork)\b/i;

/** Office asks by itself before it gives a clicked link to the browser, which then asks again. */
const OFFICE = /ms-office|MSOffice|Microsoft Office/i;

/**
 * Machines that say so. Where nobody but a developer can ask, everything else that is no browser is a tool of theirs.
 */
const NAMED_MACHINES = /bot|crawl|spider|slurp|scan|preview|headless|facebookexternalhit|whatsapp/i;

/** What a request alone says. */
export function judgeRequest({ kind, method, headers, local = false }: HitRequest): Verdict {
  if (method === 'HEAD') return machine('head');
  if (
    [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].some((value) =>
      /prefetch|prerender|preview/i.test(String(value ?? '')),
    )
  )
    return machine('prefetch');
  const agent = String(headers['user-agent'] ?? '').trim();
  if (agent === '') return local ? person('local_tool') : machine('no_user_agent');
  // Apple's privacy proxy loads every image of every mail, whoever reads it, and says no more than this.
  if (agent === 'Mozilla/5.0' && !(local && kind === 'click')) return machine('apple_privacy');
  if (GMAIL_PREFETCH.test(agent)) return machine('gmail_prefetch');
  if (SCANNERS.test(agent)) return machine('scanner');
  const proxy = PROXIES.find(([pattern]) => pattern.test(agent));
  if (proxy) return kind === 'open' ? person(proxy[1]) : machine('scanner');
  if (kind === 'click' && OFFICE.test(agent)) return machine('scanner');
  if (kind === 'open' && MAIL_PROGRAMS.test(agent)) return person();
  if (!isbot(agent)) return person();
  return local && !NAMED_MACHINES.test(agent) ? person('local_tool') : machine('bot');
}

/** Milliseconds between the mail server's answer and the first click that a person can make. */
const REACTION = 1000;
/**
 * A gateway reads a mail while it takes it: a hit within this time of the beginning, without the answer, is its. Later
 * the record may just be late.
 */
const HAND_OVER = 10_000;
/** So many links of one mail within this time are followed by no person. */
const BURST_LINKS = 4;
const BURST = 1000;

/** How long a click waits to be judged: until what was clicked beside it has come. */
export const HOLD = BURST + 200;
/** How far a hit's neighbours are looked for. */
export const NEIGHBOURHOOD = Math.max(BURST, REACTION);

/**
 * What a hit's time and company say, where the request alone looks like a person's.
 *
 * @param beside other hits of its email within NEIGHBOURHOOD
 * @param options.local whether nobody but this machine's user can ask: no time is too early or too short for a script
 * of theirs
 */
export function judgeHit(
  hit: QueuedHit,
  email: HitEmail,
  beside: readonly Neighbour[],
  { local = false }: { local?: boolean } = {},
): Verdict {
  if (hit.machine) return hit;
  // A script that takes the mail from a development inbox is faster than the record of its acceptance.
  if (!local && wasBeforeSent(hit, email)) return machine('before_sent');
  if (hit.kind !== 'click') return hit;
  if (isBurst(hit, beside)) return machine('burst');
  if (local) return hit;
  const wasOpened = beside.some(({ kind, ip, at }) => kind === 'open' && ip === hit.ip && at <= hit.at);
  // Who has loaded the mail's images from the same address is reading it.
  return email.sentAt && hit.at.getTime() - email.sentAt.getTime() < REACTION && !wasOpened ? machine('too_fast') : hit;
}

function wasBeforeSent({ at }: QueuedHit, { sentAt, claimedAt, ambiguous }: HitEmail): boolean {
  if (sentAt && at >= sentAt) return false;
  const sinceClaim = claimedAt ? at.getTime() - claimedAt.getTime() : Number.NEGATIVE_INFINITY;
  if (sinceClaim >= 0) return sinceClaim < HAND_OVER;
  // Before the last attempt: an earlier one of an unknown outcome may have reached a person, a refused one didn't.
  return !ambiguous;
}

function isBurst(hit: QueuedHit, beside: readonly Neighbour[]): boolean {
  const clicks = [hit, ...beside].filter(({ kind }) => kind === 'click');
  // Every window of that length that holds the hit begins with a click.
  return clicks.some(({ at: begin }) => {
    const offset = hit.at.getTime() - begin.getTime();
    if (offset < 0 || offset > BURST) return false;
    return (
      new Set(clicks.filter(({ at }) => at >= begin && at.getTime() - begin.getTime() <= BURST).map(({ url }) => url))
        .size >= BURST_LINKS
    );
  });
}
