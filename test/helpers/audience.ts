/**
 * Projects with contacts and campaigns, made directly in the database; does not import vitest, so that programs
 * outside of tests can use it.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { ApiContext } from '../../src/context.js';
import { newId } from '../../src/ids.js';
import { encryptSecret } from '../../src/mail/secrets.js';
import { generateDkimKey, type DkimKeyPair } from '../../src/mail/sign.js';

export interface Audience {
  id: string;
  public: string;
  secret: string;
  /** A verified sender domain with a DKIM key. */
  domain: string;
}

let dkimKey: Promise<DkimKeyPair> | undefined;

/** Inserts a project with this number of subscribed contacts, whose addresses are unique across projects. */
export async function insertAudience(ctx: ApiContext, contacts: number): Promise<Audience> {
  const id = newId();
  const project = {
    id,
    public: `pk_${randomBytes(32).toString('hex')}`,
    secret: `sk_${randomBytes(32).toString('hex')}`,
    domain: `${id.slice(-8)}.test`,
  };
  const { privateKeyPem } = await (dkimKey ??= generateDkimKey());
  await ctx.prisma.project.create({
    data: {
      id,
      name: 'Audience',
      publicKey: project.public,
      secretHash: createHash('sha256').update(project.secret).digest(),
      secretLast4: project.secret.slice(-4),
    },
  });
  await ctx.prisma.domain.create({
    data: {
      id: newId(),
      projectId: id,
      domain: project.domain,
      status: 'VERIFIED',
      dkimSelector: 'sl',
      dkimPrivateKey: encryptSecret(ctx.config.SECRET_KEY, privateKeyPem),
      records: [],
      verifiedAt: new Date(),
    },
  });
  await ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $1, 'c' || n || '@inbox.' || $3::text, true, jsonb_build_object('n', n) FROM generate_series(1, $2::int) n`,
    [id, contacts, project.domain],
  );
  return project;
}

/** A body of `POST /campaigns` for a campaign to all contacts. */
export const campaignContent = ({ domain }: Audience) => ({
  name: 'News',
  subject: 'Number {{ n }}',
  body: '<p>Hello {{ email }}, you are number {{ n }}.</p>',
  from: `news@${domain}`,
  audienceType: 'ALL' as const,
});

/** Inserts a draft. @returns its id */
export async function insertCampaign(ctx: ApiContext, project: Audience): Promise<string> {
  const id = newId();
  await ctx.prisma.campaign.create({ data: { id, projectId: project.id, ...campaignContent(project) } });
  return id;
}
