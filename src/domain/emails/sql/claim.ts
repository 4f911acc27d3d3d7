/**
 * Claims due emails that belong to no campaign: pending ones, and scheduled ones whose time has come. A claimed email has the
 * status SENDING and is in a row of `email_claims` until its result is recorded (delivery.ts).
 *
 * src/domain/delivery/dispatcher.ts uses the claims, and src/domain/delivery/sql/chunks.ts has those of campaigns.
 */
import type { Queryable } from '../../../db/pool.js';
import {
  IS_TRACKED,
  MESSAGE,
  SETTLED,
  toJson,
  WINDOW_OPENS_AT,
  type ClaimedEmail,
  type DeliveryResult,
} from './delivery.js';

/** Whether the email `e` is tracked. Test emails and emails of the platform never are. */
const TRACKED = `e.source NOT IN ('TEST', 'PLATFORM')
         AND (SELECT ${IS_TRACKED('e.type')} FROM projects p WHERE p.id = e.project_id)`;

/**
 * A project as in the indexes of the queues. Only they can serve conditions on it: without statistics of projects, the planner
 * would choose any index of the project.
 */
export const QUEUE_OF = (projectId: string): string => `uuid_send(${projectId})`;

type WaitingStage = 'PENDING' | 'SCHEDULED';

/** No id is before this one. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The waiting emails of the queue that `lane.automation` names: emails of workflows, or all others. */
const IN_QUEUE = (stage: WaitingStage): string =>
  `e.stage = '${stage}' AND e.campaign_id IS NULL AND (e.source = 'WORKFLOW') = lane.automation`;

/** The due emails of the project and queue `lane`. @param ordered the condition on `is_ordered`, a column of the index */
const IS_DUE = (stage: WaitingStage, ordered: 'e.is_ordered' | 'NOT e.is_ordered'): string =>
  `${IN_QUEUE(stage)} AND ${QUEUE_OF('e.project_id')} = ${QUEUE_OF('lane.id')} AND ${ordered} AND e.next_attempt_at <= now()`;

/** Whether `lane` has a due email. Not EXISTS, which the planner could make a join that reads all due emails. */
const HAS_DUE = (stage: WaitingStage): string =>
  `coalesce((SELECT true FROM emails e WHERE ${IS_DUE(stage, 'NOT e.is_ordered')} ORDER BY e.next_attempt_at LIMIT 1),
            (SELECT true FROM emails e WHERE ${IS_DUE(stage, 'e.is_ordered')} ORDER BY e.next_attempt_at LIMIT 1))`;

/** Whether the email `e` is at or after a position of the queue: the columns of `lane` with this prefix. */
const IS_FROM = (prefix: 'front' | 'first'): string =>
  `(e.next_attempt_at, e.id) >= (lane.${prefix}_at, lane.${prefix}_id)`;

/** The position of the first due email of `lane` from its front on. */
const firstDue = (stage: WaitingStage, ordered: 'e.is_ordered' | 'NOT e.is_ordered'): string => `
            (SELECT e.next_attempt_at AS first_at, e.id AS first_id FROM emails e
              WHERE ${IS_DUE(stage, ordered)} AND ${IS_FROM('front')}
              ORDER BY e.next_attempt_at, e.id LIMIT 1)`;

/** The lanes with due email, each with the position of its first one. @param projects a table with `automation` and `id` */
const LANES = (stage: WaitingStage, projects: string): string => `
    SELECT lane.automation, lane.id, lane.stage, first.*
      FROM (SELECT p.automation, p.id, '${stage}' AS stage,
                   coalesce(f.at, '-infinity') AS front_at, coalesce(f.email, '${FIRST_ID}') AS front_id
              FROM ${projects} p LEFT JOIN front f ON f.automation = p.automation AND f.project = p.id AND f.stage = '${stage}'
             WHERE p.id IS NOT NULL) lane
     CROSS JOIN LATERAL (
            SELECT * FROM (${firstDue(stage, 'NOT e.is_ordered')}
            UNION ALL ${firstDue(stage, 'e.is_ordered')}) either
             ORDER BY first_at, first_id LIMIT 1) first`;

/** A part of a WITH clause: the projects with waiting email of both queues, each found by skipping the emails of the one before. */
const PROJECTS = (stage: WaitingStage): string => `project(automation, id) AS (
  SELECT lane.automation,
         (SELECT e.project_id FROM emails e WHERE ${IN_QUEUE(stage)} ORDER BY ${QUEUE_OF('e.project_id')} LIMIT 1)
    FROM (VALUES (false), (true)) AS lane(automation)
  UNION ALL
  SELECT lane.automation,
         (SELECT e.project_id FROM emails e WHERE ${IN_QUEUE(stage)} AND ${QUEUE_OF('e.project_id')} > ${QUEUE_OF('lane.id')}
           ORDER BY ${QUEUE_OF('e.project_id')} LIMIT 1)
    FROM project lane WHERE lane.id IS NOT NULL
)`;

/** Emails of a request that are claimed together. The worker hands them over one after the other. */
export const MAX_OF_REQUEST = 10;

/** Whether no emails of the request of `email` are claimed, except in claims of the parameter `continued`. */
const IS_FREE = (email: string, continued: string): string => `
             (SELECT true FROM email_claims c WHERE c.request_id = ${email}.message_id AND c.id <> ALL (${continued})
               ORDER BY c.id LIMIT 1) IS NULL`;

/**
 * Whether the waiting email `x` comes before the others of its request: it is due, or was released for some time before its first
 * attempt. A later attempt does not delay the others.
 */
const IS_FIRST = (x: string): string =>
  `(${x}.next_attempt_at <= now() OR ${x}.stage = 'PENDING' AND ${x}.attempts = 0)`;

/** The waiting emails `x` of the request of `email`. */
const OF_REQUEST = (x: string, email: string): string =>
  `${x}.message_id = ${email}.message_id AND ${x}.is_ordered AND ${x}.source = 'TRANSACTIONAL' AND ${x}.stage IN ('PENDING', 'SCHEDULED')`;

/**
 * The next due email of a request with several. `last_id` is the last one of the request, whose emails are neighbors in the
 * index. The search continues after it, because a request can have 1,000 emails.
 */
const nextOrdered = (stage: WaitingStage, condition: string): string => `
          SELECT e.id, e.message_id, e.next_attempt_at,
                 (SELECT last.id FROM emails last WHERE ${OF_REQUEST('last', 'e')} ORDER BY last.id DESC LIMIT 1) AS last_id
            FROM emails e WHERE ${IS_DUE(stage, 'e.is_ordered')} AND ${condition}
           ORDER BY e.next_attempt_at, e.id LIMIT 1`;

/**
 * Locks the due emails of a request after `head`. None of them is claimed if one between them cannot be, because it is not due, or
 * locked by another transaction. Without OFFSET 0, the planner could copy the lists and lock twice.
 */
const lockFollowing = (stage: WaitingStage): string => {
  const after = (condition: string): string => `
              SELECT e.id FROM emails e WHERE ${OF_REQUEST('e', 'head')} AND e.id > head.id AND ${condition}
               ORDER BY e.id LIMIT ${MAX_OF_REQUEST - 1}`;
  return `
            SELECT unnest(lists.locked) AS id FROM (
              SELECT ARRAY(${after(`e.stage = '${stage}' AND e.next_attempt_at <= now()`)} FOR UPDATE SKIP LOCKED) AS locked,
                     ARRAY(${after(IS_FIRST('e'))}) AS expected OFFSET 0) lists
             WHERE lists.locked = lists.expected[1:cardinality(lists.locked)]`;
};

/**
 * Locks the due emails of `lane`, at most its share.
 *
 * The first due email of a request with several waits for those in flight, except where the worker continues a request. Only
 * the transaction that locks it claims the ones after it, too. They have its position, so that the limit cannot take a
 * later one before them. `head` is evaluated only as far as rows are needed.
 */
const lockDue = (stage: WaitingStage, continued: string): string => `
    SELECT next.id FROM (
      SELECT * FROM (
        SELECT e.id, e.next_attempt_at FROM emails e WHERE ${IS_DUE(stage, 'NOT e.is_ordered')} AND ${IS_FROM('first')}
         ORDER BY e.next_attempt_at, e.id LIMIT lane.share FOR UPDATE SKIP LOCKED) AS unordered
      UNION ALL
      SELECT * FROM (
        WITH RECURSIVE head AS (
          (${nextOrdered(stage, IS_FROM('first'))})
          UNION ALL
          SELECT n.* FROM head h CROSS JOIN LATERAL (
            ${nextOrdered(stage, '(e.next_attempt_at, e.id) > (h.next_attempt_at, h.last_id)')}) n
        )
        SELECT free.* FROM head CROSS JOIN LATERAL (
          SELECT e.id, e.next_attempt_at FROM emails e
           WHERE e.id = head.id AND e.stage = '${stage}' AND e.next_attempt_at <= now()
             AND (SELECT true FROM emails earlier
                   WHERE ${OF_REQUEST('earlier', 'e')} AND earlier.id < e.id AND ${IS_FIRST('earlier')} LIMIT 1) IS NULL
             AND ${IS_FREE('e', continued)}
           LIMIT 1 FOR UPDATE SKIP LOCKED) AS first
         CROSS JOIN LATERAL (
          SELECT first.* UNION ALL SELECT following.id, first.next_attempt_at FROM (${lockFollowing(stage)}) AS following) AS free
         LIMIT lane.share) AS ordered
    ) AS next
    WHERE lane.stage = '${stage}' ORDER BY next.next_attempt_at, next.id LIMIT lane.share`;

/** The fronts of lanes with a smaller share are not kept: then there are many lanes, and few emails of each are claimed. */
const MIN_SHARE_OF_FRONT = 10;

/**
 * Claims due emails. The last parameters are the limit, whether to return contents, the projects with due scheduled email,
 * the queue's front, and the claims whose requests may be continued.
 *
 * 1. `project` lists the projects with pending email of both queues.
 * 2. `turn` has a lane for each project with due email: its pending or its scheduled, transactional or automation email.
 *    Transactional ones come first. The first due email of a lane is searched from its front on. Each gets a share of the
 *    limit, so that a long queue of one project does not delay the others.
 * 3. `due` locks their oldest due emails.
 *
 * The scalar subqueries make the planner look up single rows instead of joining whole tables. So do the conditions
 * `= ANY (ARRAY(…))` in addition to joins, here and in `SETTLED`, and ORDER BY where one row is enough: only the index
 * of the queue has that order.
 */
const claimStatement = (isRecording: boolean): string => {
  const [limit, withContent, projects, front, continued] = isRecording
    ? ['$4::int', '$5::boolean', '$6::uuid[]', '$7::json', '$8::uuid[]']
    : ['$2::int', '$3::boolean', '$4::uuid[]', '$5::json', '$6::uuid[]'];
  return `
WITH RECURSIVE ${PROJECTS('PENDING')}, front AS MATERIALIZED (
  SELECT * FROM json_to_recordset(${front}) AS f (automation boolean, stage text, project uuid, at timestamptz, email uuid)
), due_project AS (
  SELECT * FROM unnest(${projects}) AS d(id) CROSS JOIN (VALUES (false), (true)) AS a(automation)
), turn AS MATERIALIZED (
  SELECT lane.*, greatest(1, ${limit} / count(*) OVER (PARTITION BY lane.automation)) AS share
    FROM (${LANES('PENDING', 'project')}
    UNION ALL ${LANES('SCHEDULED', 'due_project')}) lane
   ORDER BY lane.automation, random()
), ${isRecording ? `${SETTLED}, ` : ''}due AS MATERIALIZED (
  SELECT next.id, lane.share, lane.automation, lane.stage FROM turn lane CROSS JOIN LATERAL (
    (${lockDue('PENDING', continued)})
    UNION ALL
    (${lockDue('SCHEDULED', continued)})) AS next
   LIMIT ${limit}
), claimed AS (
  UPDATE emails e
     SET status = 'SENDING', claimed_by = $1, claimed_at = now(), attempts = e.attempts + 1,
         tracked = coalesce(e.tracked, ${TRACKED})
    FROM due WHERE e.id = due.id AND e.id = ANY (ARRAY(SELECT id FROM due)) AND e.stage IN ('PENDING', 'SCHEDULED')
  RETURNING e.id, e.project_id, e.message_id, e.campaign_id, e.workflow_id, e.template_id, e.contact_id, e.source, e.type, e.to_email, e.to_name,
            e.variables, e.attempts, coalesce(e.scheduled_for, e.created_at) AS date, e.tracked, e.is_ordered,
            due.share, due.automation, due.stage AS lane_stage
), claim AS MATERIALIZED (
  SELECT uuid_v7() AS id, CASE WHEN e.is_ordered THEN e.message_id END AS request_id, array_agg(e.id) AS email_ids
    FROM claimed e GROUP BY 2
), noted AS (
  INSERT INTO email_claims (id, worker_id, request_id, email_ids) SELECT id, $1, request_id, email_ids FROM claim
)
SELECT e.id, e.project_id AS "projectId", e.message_id AS "messageId", e.campaign_id AS "campaignId",
       e.workflow_id AS "workflowId", e.template_id AS "templateId",
       e.contact_id AS "contactId", e.source, e.type, e.to_email AS "toEmail", e.to_name AS "toName", e.variables,
       e.attempts, e.date, e.tracked, e.is_ordered AS "isOrdered", c.data AS "contactData", c.subscribed AS "contactSubscribed",
       (SELECT s.reason FROM suppressions s WHERE s.project_id = e.project_id AND s.email = e.to_email) AS suppressed,
       (SELECT p.disabled FROM projects p WHERE p.id = e.project_id) AS "projectDisabled",
       e.is_ordered AND lead(e.id) OVER of_message IS NULL AND EXISTS (
         SELECT FROM emails later WHERE ${OF_REQUEST('later', 'e')} AND later.id > e.id) AS followed,
       CASE WHEN ${withContent} AND e.attempts = 1 AND NOT e.automation
             AND (NOT e.is_ordered
                  OR lag(e.id) OVER of_message IS NULL
                     AND NOT EXISTS (SELECT FROM emails first
                                      WHERE first.message_id = e.message_id AND first.campaign_id IS NULL AND first.id < e.id))
            THEN (SELECT ${MESSAGE} FROM messages m JOIN projects p ON p.id = m.project_id
                   WHERE m.project_id = e.project_id AND m.id = e.message_id) END AS message,
       CASE WHEN e.automation THEN coalesce(${WINDOW_OPENS_AT('e', 'now()')} <= now(), true) ELSE true END AS "isWindowOpen",
       count(*) OVER (PARTITION BY e.automation, e.lane_stage, e.project_id) >= e.share AS "isShareUsed",
       CASE WHEN e.id = (SELECT id FROM claimed LIMIT 1) THEN
         (SELECT json_agg(json_build_object('automation', t.automation, 'stage', t.stage, 'project', t.id, 'at', t.first_at,
                                            'email', t.first_id))::text
            FROM turn t WHERE t.share >= ${MIN_SHARE_OF_FRONT}) END AS front,
       CASE WHEN e.id = (SELECT id FROM claimed LIMIT 1) THEN
         (SELECT json_object_agg(coalesce(c.request_id::text, ''), c.id) FROM claim c) END AS claims
  FROM claimed e LEFT JOIN LATERAL (SELECT data, subscribed FROM contacts WHERE id = e.contact_id LIMIT 1) c ON true
WINDOW of_message AS (PARTITION BY e.message_id ORDER BY e.id)
 ORDER BY e.automation, e.id`;
};

const CLAIM = claimStatement(false);
const SETTLE_AND_CLAIM = claimStatement(true);

/** The input of a claim. The same statement records results, which saves a round trip and a flush. */
export interface Claim {
  workerId: string;
  limit: number;
  results: readonly DeliveryResult[];
  /** The claims whose last emails have results here. Default: none. */
  ended?: readonly string[];
  /** Whether to return the content of an email whose message no other email had before. Default: true. */
  withContent?: boolean;
  /** The projects whose scheduled emails may be due (`selectDueProjects`). Default: none. */
  dueProjects?: readonly string[];
  /** Where the search begins. The call updates it. Default: the beginning. */
  front?: QueueFront;
  /**
   * Claims of this worker, open or ended here. The next emails of their requests may be claimed, unless the request has other
   * claims: those of another worker, or of this one, which does not know of them because a connection was lost. Default: none.
   */
  continued?: readonly string[];
}

/**
 * Where the due emails of each lane begin. Until a vacuum, the index of the queue keeps the entries of claimed emails: without
 * a front, each claim of a long queue reads all of them again. Emails that become due before the front are not found, so
 * it must be reset often.
 */
export interface QueueFront {
  /** JSON. Only `claimDue` reads it. */
  lanes: string;
}

/** The front of a search from the beginning. */
export const NO_LANES = '[]';

/**
 * Records results, and claims due emails that belong to no campaign: first those of no workflow, and from all projects
 * in turn.
 */
export async function claimDue(
  db: Queryable,
  {
    workerId,
    limit,
    results,
    withContent = true,
    dueProjects = [],
    front = { lanes: NO_LANES },
    ended = [],
    continued = [],
  }: Claim,
): Promise<ClaimedEmail[]> {
  const claim = [limit, withContent, dueProjects, front.lanes, continued];
  const { rows } = await db.query<ClaimedEmail & { front: string | null; claims: Record<string, string> | null }>(
    results.length === 0
      ? { name: 'delivery-claim', text: CLAIM, values: [workerId, ...claim] }
      : {
          name: 'delivery-settle-and-claim',
          text: SETTLE_AND_CLAIM,
          values: [workerId, toJson(results), ended, ...claim],
        },
  );
  // PostgreSQL looks for later emails of a request once, for the last one that is claimed.
  const followed = new Set(rows.flatMap((row) => (row.followed ? [row.messageId] : [])));
  const first = rows.find((row) => row.claims !== null);
  for (const row of rows) {
    row.followed = followed.has(row.messageId);
    row.claimId = first?.claims?.[row.isOrdered ? row.messageId : ''] ?? '';
  }
  front.lanes = first?.front ?? front.lanes;
  return rows;
}

/** Projects that one call returns. A later one returns others. */
const MAX_DUE_PROJECTS = 500;

/**
 * Returns the projects with due scheduled email that belongs to no campaign. This takes about 5 µs per project with scheduled
 * email, however much of it there is.
 */
export async function selectDueProjects(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'delivery-due-projects',
    text: `WITH RECURSIVE ${PROJECTS('SCHEDULED')}
     SELECT lane.id FROM project lane WHERE lane.id IS NOT NULL AND ${HAS_DUE('SCHEDULED')}
      GROUP BY lane.id ORDER BY random() LIMIT ${MAX_DUE_PROJECTS}`,
  });
  return rows.map(({ id }) => id);
}
