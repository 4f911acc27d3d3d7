/**
 * Classifies opens and clicks as those of a person or of a machine: a mail program that prefetches images, a gateway
 * that scans links for malware, or a crawler. Pure. docs/tracking.md explains the reasons.
 */
import { isbot } from 'isbot';
import type { HitEmail, NearbyHit, QueuedHit, Verdict } from './sql.js';

/** The parts of a request that identify its sender. Header names are in lower case. */
export interface HitRequest {
  kind: 'open' | 'click';
  method: string;
  headers: Record<string, string | string[] | undefined>;
  /** Whether only the user of this machine can send requests (`isLocalUrl`). */
  local?: boolean;
}

const person = (reason: string | null = null): Verdict => ({ machine: false, reason });
const machine = (reason: string): Verdict => ({ machine: true, reason });

/**
 * Whether the links of mails lead to this machine itself, as with `npm start` without a `PUBLIC_URL`. No gateway and no
 * crawler can reach it, so every request comes from the user or a script of the user.
 */
export function isLocalUrl(publicUrl: string): boolean {
  const { hostname } = new URL(publicUrl);
  return /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}

/** Proxies that request an image when a person opens the mail. They hide the person's address. */
const IMAGE_PROXIES: Array<[RegExp, string]> = [
  [/GoogleImageProxy/i, 'google_proxy'],
  [/YahooMailProxy/i, 'yahoo_proxy'],
];

/** Gmail's app prefetches the images of new mail as this outdated browser. Opening a mail uses the proxy instead. */
const GMAIL_PREFETCH = /Chrome\/42\.0\.2311\.135 Safari\/537\.36 Edge\/12\.246 Mozilla\/5\.0$/;

/** Security products that identify themselves. */
const SCANNERS =
  /barracuda|mimecast|proofpoint|safelinks|messagelabs|symantec|ironport|cisco.?secure|fortinet|fortimail|fortiguard|sophos|trend ?micro|\btmes\b|forcepoint|zscaler|cloudmark|mcafee|trellix|checkpoint|avanan|vade ?secure|hornetsecurity|spamtitan|bitdefender|kaspersky|virustotal|urlscan/i;

/** Mail programs whose user agent looks like that of a script. */
const MAIL_PROGRAMS =
  /\b(?:Thunderbird|Outlook|SamsungEmail|Airmail|Spark|Evolution|ProtonMail|eM ?Client|K-9|KMail|Geary|Postbox|Mailspring|MailMate|Roundcube|Zimbra|Lotus-Notes|QQMail|FairEmail|BlueMail|Nine|CFNetwork)\b/i;

/** Office requests a clicked link itself before the browser does. */
const OFFICE = /ms-office|MSOffice|Microsoft Office/i;

/** Machines that identify themselves. On a local installation, any other non-browser is a tool of the developer. */
const NAMED_MACHINES = /bot|crawl|spider|slurp|scan|preview|headless|facebookexternalhit|whatsapp/i;

/** Classifies a request by its own properties. */
export function classifyRequest({ kind, method, headers, local = false }: HitRequest): Verdict {
  if (method === 'HEAD') return machine('head');
  if (
    [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].some((value) =>
      /prefetch|prerender|preview/i.test(String(value ?? '')),
    )
  )
    return machine('prefetch');
  const agent = String(headers['user-agent'] ?? '').trim();
  if (agent === '') return local ? person('local_tool') : machine('no_user_agent');
  // Apple's privacy proxy loads all images of all mails, read or not, with only this user agent.
  if (agent === 'Mozilla/5.0' && !(local && kind === 'click')) return machine('apple_privacy');
  if (GMAIL_PREFETCH.test(agent)) return machine('gmail_prefetch');
  if (SCANNERS.test(agent)) return machine('scanner');
  const proxy = IMAGE_PROXIES.find(([pattern]) => pattern.test(agent));
  if (proxy) return kind === 'open' ? person(proxy[1]) : machine('scanner');
  if (kind === 'click' && OFFICE.test(agent)) return machine('scanner');
  if (kind === 'open' && MAIL_PROGRAMS.test(agent)) return person();
  if (!isbot(agent)) return person();
  return local && !NAMED_MACHINES.test(agent) ? person('local_tool') : machine('bot');
}

/** The shortest time from the mail server's reply to a person's first click. */
const MIN_REACTION_MS = 1000;
/**
 * A gateway scans a mail before it replies, so a hit within this time of the handover, without a recorded reply, is a
 * scan. After this time, the record may just be late.
 */
const HANDOVER_MS = 10_000;
/** A person does not follow this many links of one mail within BURST_MS. */
const BURST_LINKS = 4;
const BURST_MS = 1000;

/** How long a click waits for classification, so that the other clicks of a burst have arrived. */
export const CLICK_DELAY_MS = BURST_MS + 200;
/** The maximum time between a hit and the nearby hits that its classification considers. */
export const NEARBY_MS = Math.max(BURST_MS, MIN_REACTION_MS);

/**
 * Classifies a hit by its time and by nearby hits, if the request itself looks like a person's.
 *
 * @param nearby other hits of its email within NEARBY_MS
 * @param options.local whether only the user of this machine can send requests. A script of theirs can be fast.
 */
export function classifyHit(
  hit: QueuedHit,
  email: HitEmail,
  nearby: readonly NearbyHit[],
  { local = false }: { local?: boolean } = {},
): Verdict {
  if (hit.machine) return hit;
  // A script that reads a development inbox can be faster than the record of the acceptance.
  if (!local && wasBeforeSent(hit, email)) return machine('before_sent');
  if (hit.kind !== 'click') return hit;
  if (isBurst(hit, nearby)) return machine('burst');
  if (local) return hit;
  const wasOpened = nearby.some(({ kind, ip, at }) => kind === 'open' && ip === hit.ip && at <= hit.at);
  // A client that loaded the images from the same address has the mail open.
  return email.sentAt && hit.at.getTime() - email.sentAt.getTime() < MIN_REACTION_MS && !wasOpened
    ? machine('too_fast')
    : hit;
}

function wasBeforeSent({ at }: QueuedHit, { sentAt, claimedAt, ambiguous }: HitEmail): boolean {
  if (sentAt && at >= sentAt) return false;
  const sinceClaim = claimedAt ? at.getTime() - claimedAt.getTime() : Number.NEGATIVE_INFINITY;
  if (sinceClaim >= 0) return sinceClaim < HANDOVER_MS;
  // Before the last attempt: an earlier attempt with an unknown outcome may have reached a person.
  return !ambiguous;
}

function isBurst(hit: QueuedHit, nearby: readonly NearbyHit[]): boolean {
  const clicks = [hit, ...nearby].filter(({ kind }) => kind === 'click');
  // Check each window that begins with a click and contains the hit.
  return clicks.some(({ at: begin }) => {
    const offset = hit.at.getTime() - begin.getTime();
    if (offset < 0 || offset > BURST_MS) return false;
    return (
      new Set(
        clicks.filter(({ at }) => at >= begin && at.getTime() - begin.getTime() <= BURST_MS).map(({ url }) => url),
      ).size >= BURST_LINKS
    );
  });
}
