/** The statement of `GET /search`. It reads at most MAX_READ_CONTACTS contacts, and all names of the smaller tables. */
import type { Queryable } from '../../db/pool.js';

export const SEARCH_KINDS = ['contact', 'campaign', 'template', 'segment', 'workflow', 'domain', 'email'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchHit {
  kind: SearchKind;
  id: string;
  title: string;
  subtitle: string | null;
}

/** 0: the id or the whole title, 1: the start of the title, 2: another part of the title or of the subtitle. */
export interface RankedHit extends SearchHit {
  rank: 0 | 1 | 2;
}

export interface SearchRequest {
  projectId: string;
  /** Trimmed, not empty. */
  text: string;
  /** The text as an id, or null if it is not one. */
  id: string | null;
  /** The maximum number of hits of each kind. */
  limit: number;
}

/**
 * Addresses are read along their index from the text on. In databases with the collation C, all matches come first. In
 * others, a few addresses can stand between them, which this number allows for.
 */
const MAX_READ_CONTACTS = 200;

/** A part of the statement for a table of which a project has few rows. */
const namedPart = (kind: SearchKind, table: string, title: string, subtitle: string): string => `
(SELECT '${kind}' AS kind, id, title, subtitle, rank
   FROM (SELECT id, ${title} AS title, ${subtitle} AS subtitle,
                CASE WHEN id = $3 OR fold_case(${title}) = wanted.text THEN 0
                     WHEN starts_with(fold_case(${title}), wanted.text) THEN 1
                     WHEN strpos(fold_case(${title}), wanted.text) > 0 THEN 2
                     WHEN strpos(fold_case(${subtitle}), wanted.text) > 0 THEN 2 END AS rank
           FROM ${table} CROSS JOIN (SELECT fold_case($2) AS text) AS wanted
          WHERE project_id = $1) AS ranked
  WHERE rank IS NOT NULL ORDER BY rank, id DESC LIMIT $4)`;

const CONTACT_NAME = `coalesce(data ->> 'name', nullif(concat_ws(' ', data ->> 'firstName', data ->> 'lastName'), ''))`;

const STATEMENT = `
(SELECT 'contact' AS kind, id, email AS title, ${CONTACT_NAME} AS subtitle, CASE WHEN email = $2 THEN 0 ELSE 1 END AS rank
   FROM (SELECT id, email, data FROM contacts
          WHERE project_id = $1 AND email >= $2 ORDER BY email LIMIT ${MAX_READ_CONTACTS}) AS near
  WHERE starts_with(email, $2) ORDER BY email LIMIT $4)
UNION ALL
SELECT 'contact', id, email, ${CONTACT_NAME}, 0 FROM contacts WHERE project_id = $1 AND id = $3
UNION ALL
SELECT 'email', e.id, e.to_email, m.subject, 0
  FROM emails e LEFT JOIN messages m ON m.id = e.message_id WHERE e.id = $3 AND e.project_id = $1
UNION ALL ${namedPart('campaign', 'campaigns', 'name', 'subject')}
UNION ALL ${namedPart('template', 'templates', 'name', 'subject')}
UNION ALL ${namedPart('segment', 'segments', 'name', 'description')}
UNION ALL ${namedPart('workflow', 'workflows', 'name', 'event_name')}
UNION ALL ${namedPart('domain', 'domains', 'domain', 'status::text')}`;

/** Returns the best hits of each kind, those of a kind in their order. */
export async function selectHits(db: Queryable, { projectId, text, id, limit }: SearchRequest): Promise<RankedHit[]> {
  const { rows } = await db.query<RankedHit>({
    name: 'search',
    text: STATEMENT,
    values: [projectId, text.toLowerCase(), id, limit],
  });
  return rows;
}
