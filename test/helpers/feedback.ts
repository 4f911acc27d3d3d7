/** Sent emails, each with its own contact and campaign, and the effects of feedback on them. */
import { applyFeedback, type Feedback } from '../../src/domain/feedback/sql/feedback.js';
import { withLockTimeout } from '../../src/domain/lock-timeout.js';
import type { EmailSource, EmailStatus } from '../../src/generated/prisma/enums.js';
import { newId } from '../../src/ids.js';
import type { TestApi, TestProject } from './api.js';

export interface SentEmail {
  id: string;
  contactId: string | null;
  campaignId: string;
  address: string;
}

export interface SentOptions {
  status?: EmailStatus;
  source?: EmailSource;
  ambiguous?: boolean;
  /** Whether it belongs to a contact; default true. */
  contact?: boolean;
  /** The worker that is sending it. */
  claimedBy?: string;
}

type Unbound<T> = T extends unknown ? Omit<T, 'emailId'> : never;
/** A saying about no email yet. */
export type Saying = Unbound<Feedback>;

export const about = (emailId: string, saying: Saying): Feedback => ({ ...saying, emailId });

export function feedbackHelpers(api: TestApi) {
  /** Inserts `count` emails that have been sent, unless said otherwise. */
  const sent = async (
    project: TestProject,
    count: number,
    { status = 'SENT', source = 'CAMPAIGN', ambiguous = false, contact = true, claimedBy }: SentOptions = {},
  ): Promise<SentEmail[]> => {
    const { prisma } = api.ctx;
    const messageId = newId();
    await prisma.message.create({
      data: {
        id: messageId,
        projectId: project.id,
        type: 'MARKETING',
        subject: 's',
        body: 'b',
        from: `news@${project.domain}`,
      },
    });
    const emails = Array.from({ length: count }, (): SentEmail => {
      const id = newId();
      return { id, contactId: contact ? newId() : null, campaignId: newId(), address: `${id}@x.test` };
    });
    const createdAt = new Date('2026-01-01T00:00:00Z');
    await prisma.contact.createMany({
      data: emails.flatMap(({ contactId, address }) =>
        contactId ? [{ id: contactId, projectId: project.id, email: address, subscribed: true }] : [],
      ),
    });
    await prisma.campaign.createMany({
      data: emails.map(({ campaignId }) => ({
        id: campaignId,
        projectId: project.id,
        name: 'n',
        subject: 's',
        body: 'b',
        from: `news@${project.domain}`,
        audienceType: 'ALL',
        type: 'MARKETING',
        status: 'SENDING',
      })),
    });
    const isSent = !['PENDING', 'SENDING', 'FAILED', 'CANCELLED'].includes(status);
    await prisma.email.createMany({
      data: emails.map(({ id, contactId, campaignId, address }) => ({
        id,
        projectId: project.id,
        messageId,
        contactId,
        campaignId,
        source,
        type: 'MARKETING',
        toEmail: address,
        status,
        ambiguous,
        createdAt,
        sentAt: isSent ? new Date('2026-03-01T00:00:00Z') : null,
        error: status === 'FAILED' ? 'unknown outcome' : null,
        ...(claimedBy !== undefined && { claimedBy, claimedAt: new Date(), attempts: 1 }),
      })),
    });
    if (claimedBy !== undefined && status === 'SENDING')
      await prisma.emailClaim.createMany({
        data: emails.map(({ id }) => ({ id: newId(), workerId: claimedBy, emailIds: [id] })),
      });
    return emails;
  };

  /** As the callers of the product do it. */
  const apply = (...said: Feedback[]): Promise<number> =>
    withLockTimeout(api.ctx.pool, (tx) => applyFeedback(tx, said));

  /** Everything that is known of each email, without what differs between two emails with the same fate. */
  const fates = async (emails: SentEmail[]) => {
    const { prisma, pool } = api.ctx;
    const ids = emails.map(({ id }) => id);
    const rows = new Map((await prisma.email.findMany({ where: { id: { in: ids } } })).map((row) => [row.id, row]));
    const contacts = new Map(
      (
        await prisma.contact.findMany({ where: { id: { in: emails.flatMap(({ contactId }) => contactId ?? []) } } })
      ).map(({ id, subscribed }) => [id, subscribed]),
    );
    const suppressions = new Map(
      (await prisma.suppression.findMany({ where: { email: { in: emails.map(({ address }) => address) } } })).map(
        (row) => [row.email, row],
      ),
    );
    const events = await prisma.event.findMany({ where: { emailId: { in: ids } } });
    const { rows: figures } = await pool.query<Record<string, unknown> & { campaignId: string }>(
      `SELECT campaign_id AS "campaignId", day::text, sum(sent) AS sent, sum(delivered) AS delivered, sum(opened) AS opened, sum(clicked) AS clicked, sum(bounced) AS bounced,
              sum(hard_bounced) AS hard, sum(complained) AS complained
         FROM stat_deltas WHERE campaign_id = ANY ($1::uuid[]) GROUP BY campaign_id, day
       HAVING (sum(sent), sum(delivered), sum(opened), sum(clicked), sum(bounced), sum(hard_bounced), sum(complained)) <> (0, 0, 0, 0, 0, 0, 0) ORDER BY day`,
      [emails.map(({ campaignId }) => campaignId)],
    );
    return emails.map(({ id, contactId, campaignId, address }) => {
      const row = rows.get(id);
      if (!row) throw new Error('The email is gone');
      const suppression = suppressions.get(address) ?? null;
      const {
        status,
        ambiguous,
        error,
        opens,
        clicks,
        bounceType,
        bounceReason,
        deliveredAt,
        openedAt,
        clickedAt,
        bouncedAt,
        complainedAt,
      } = row;
      return {
        row: {
          status,
          ambiguous,
          error,
          opens,
          clicks,
          bounceType,
          bounceReason,
          deliveredAt,
          openedAt,
          clickedAt,
          bouncedAt,
          complainedAt,
          isSent: row.sentAt !== null,
        },
        subscribed: contactId === null ? null : contacts.get(contactId),
        suppression: suppression && {
          reason: suppression.reason,
          detail: suppression.detail,
          createdAt: suppression.createdAt,
          isOfThis: suppression.emailId === id,
        },
        events: events
          .filter(({ emailId }) => emailId === id)
          .map(
            ({ name, data }) =>
              `${name} ${JSON.stringify(data).replaceAll(id, '<id>').replaceAll(campaignId, '<campaign>')}`,
          )
          .sort(),
        figures: figures
          .filter((figure) => figure.campaignId === campaignId)
          .map(({ campaignId: _campaign, ...figure }) => figure),
      };
    });
  };

  const fate = async (email: SentEmail) => {
    const [one] = await fates([email]);
    if (!one) throw new Error('The email is gone');
    return one;
  };

  return { sent, apply, fate, fates };
}
