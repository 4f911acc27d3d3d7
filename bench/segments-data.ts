/**
 * A million contacts and as many events for the benchmarks of segments and lists: data as customers have it, the same
 * in each run.
 */
import type { Pool } from '../src/db/pool.js';

export interface DataSize {
  contacts: number;
  events: number;
}

/** Rows of one statement. */
const STEP = 100_000;

/** SQL for a number from 0 to `n` - 1, drawn evenly by `salt` and the row's number `g`. */
const drawn = (salt: number, n: number): string => `((hashint8extended(g, ${salt}) & 2147483647) % ${n})`;
const pick = (salt: number, list: string[]): string =>
  `(ARRAY['${list.join("','")}'])[1 + ${drawn(salt, list.length)}]`;
/** Null except for `share` rows in a thousand. */
const sparse = (salt: number, share: number, value: string): string =>
  `CASE WHEN ${drawn(salt, 1000)} < ${share} THEN ${value} END`;

const NAMES = [
  'Anna',
  'Bo',
  'Çelik',
  'Dörte',
  'Émile',
  'Farid',
  'Grace',
  'Hana',
  'Ivo',
  'Jun',
  'Kofi',
  'Lea',
  'Mia',
  'Noor',
  'Omar',
  'Pia',
  'Quinn',
  'Rosa',
  'Sven',
  'Tara',
];
const COUNTRIES = [
  'US',
  'US',
  'US',
  'US',
  'US',
  'DE',
  'DE',
  'DE',
  'GB',
  'GB',
  'FR',
  'FR',
  'ES',
  'IT',
  'NL',
  'SE',
  'PL',
  'BR',
  'IN',
  'JP',
];
const TRADES = ['Steel', 'Foods', 'Media', 'Labs', 'Logistics', 'Robotics', 'Energy', 'Health', 'Travel', 'Design'];
const FORMS = ['Ltd', 'Inc', 'GmbH', 'SA', 'Corp'];
const HOSTS = [
  'gmail.test',
  'gmail.test',
  'gmail.test',
  'outlook.test',
  'outlook.test',
  'proton.test',
  'work.test',
  'example.test',
  'mail.test',
  'home.test',
];

/** SQL: the id of the contact with the number `n`. $1 is the project, $2 the time of loading. */
export const contactIdOf = (n: string, contacts: number): string => idOf('contact', n, createdAt(n, contacts));

/** The last two thousandths of the contacts are of the last two days or so, all of them of the last two years. */
const createdAt = (n: string, contacts: number): string =>
  `($2::timestamptz - interval '730 days' * (1 - ${n} / ${contacts}::float8))`;

/** A UUID v7 with this timestamp, unique per project, kind, and number. */
const idOf = (kind: string, n: string, at: string): string =>
  `overlay(overlay(overlay(md5('${kind}' || $1::uuid || ${n}) PLACING lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') FROM 1 FOR 12) PLACING '7' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid`;

const day = (at: string): string => `to_char((${at}) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;
const moment = (at: string): string => `to_char((${at}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** About 300 bytes; keys that all have, that many have, and one in twenty or in a thousand. */
const contactData = (contacts: number): string => `jsonb_strip_nulls(jsonb_build_object(
  'firstName', ${pick(1, NAMES)},
  'plan', CASE WHEN ${drawn(2, 1000)} < 600 THEN 'free' WHEN ${drawn(2, 1000)} < 890 THEN 'pro' WHEN ${drawn(2, 1000)} < 990 THEN 'team' ELSE 'enterprise' END,
  'country', ${pick(3, COUNTRIES)},
  'age', 18 + ${drawn(4, 60)},
  'score', ${drawn(5, 100_000)} / 100.0,
  'company', ${pick(6, TRADES)} || ' ' || ${drawn(7, 20_000)} || ' ' || ${pick(8, FORMS)},
  'active', ${drawn(9, 3)} > 0,
  'lastLoginAt', ${sparse(10, 900, moment(`$2::timestamptz - interval '1 second' * ${drawn(11, 365 * 86_400)}`))},
  'signedUpOn', ${day(createdAt('g', contacts))},
  'renewsOn', ${sparse(12, 300, day(`$2::timestamptz + interval '1 day' * ${drawn(13, 365)}`))},
  'address', jsonb_build_object('city', 'City ' || ${drawn(14, 500)}, 'zip', lpad(${drawn(15, 90_000)}::text, 5, '0')),
  'orders', ${sparse(16, 400, drawn(17, 50))},
  'referrer', ${sparse(18, 50, pick(19, ['newsletter', 'friend', 'search', 'fair']))},
  'vip', ${sparse(20, 1, 'true')}))`;

/** A dozen names; "legacy" is added below. */
const EVENTS = [
  'page viewed',
  'page viewed',
  'page viewed',
  'page viewed',
  'logged in',
  'logged in',
  'email.sent',
  'email.sent',
  'email.opened',
  'email.clicked',
  'cart filled',
  'cart left',
  'purchased',
  'searched',
  'shared',
  'trial begun',
];

async function inSteps(pool: Pool, count: number, sql: string, values: unknown[]): Promise<void> {
  for (let from = 1; from <= count; from += STEP)
    await pool.query(sql, [...values, from, Math.min(from + STEP - 1, count)]);
}

/**
 * Writes contacts and events into an empty project.
 *
 * Events lie evenly over the last year, and unevenly over the contacts: nearly half of those have none, some have
 * hundreds. All events named "legacy", the first 2 %, are older than any other.
 */
export async function loadData(
  pool: Pool,
  projectId: string,
  { contacts, events }: DataSize,
  now = new Date(),
): Promise<void> {
  const at = createdAt('g', contacts);
  const asciiNames = NAMES.map((name) =>
    name
      .normalize('NFD')
      .replace(/\P{ASCII}/gu, '')
      .toLowerCase(),
  );
  await inSteps(
    pool,
    contacts,
    `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
     SELECT ${idOf('contact', 'g', at)}, $1, ${pick(1, asciiNames)} || '.' || g || '@' || ${pick(21, HOSTS)}, ${drawn(22, 100)} < 85, ${contactData(contacts)},
            ${at}, $2::timestamptz - ($2::timestamptz - ${at}) * (${drawn(23, 1000)} / 1000.0)
       FROM generate_series($3::bigint, $4::bigint) g`,
    [projectId, now],
  );
  // The share of a contact falls with the root of its rank; the ranks lie scattered by a prime.
  const contact = `1 + (floor(power(${drawn(31, 1_000_000)} / 1e6, 2) * ${contacts})::bigint * 7919) % ${contacts}`;
  const happened = `($2::timestamptz - interval '365 days' * (1 - g / ${events}::float8))`;
  await inSteps(
    pool,
    events,
    `INSERT INTO events (id, project_id, contact_id, name, data, created_at)
     SELECT ${idOf('event', 'g', 'e.at')}, $1, ${idOf('contact', 'e.n', createdAt('e.n', contacts))}, CASE WHEN g <= ${Math.ceil(events / 50)} THEN 'legacy' ELSE ${pick(32, EVENTS)} END,
            jsonb_build_object('path', '/p/' || ${drawn(33, 1000)}, 'value', ${drawn(34, 500)}), e.at
       FROM generate_series($3::bigint, $4::bigint) g, LATERAL (SELECT ${contact} AS n, ${happened} AS at) e`,
    [projectId, now],
  );
}

/** Vacuums, as autovacuum does soon after a load. */
export async function vacuumData(pool: Pool): Promise<void> {
  await pool.query('VACUUM ANALYZE contacts');
  await pool.query('VACUUM ANALYZE events');
}
