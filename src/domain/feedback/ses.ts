/**
 * What Amazon SES says of a mail, in the form of its notifications (`notificationType`) and in that of its events
 * (`eventType`). Pure.
 */
import { z } from 'zod';
import type { Feedback } from './sql/feedback.js';
import { cleanLine } from './text.js';

const texts = z.string().optional().catch(undefined);

const Mail = z.object({
  messageId: texts,
  timestamp: texts,
  /** The envelope's sender. */
  source: texts,
  /** Where the topic is set up so: the headers as they were handed to SES. */
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .optional()
    .catch(undefined),
  commonHeaders: z.object({ messageId: texts }).optional().catch(undefined),
});

const Recipient = z.object({ status: texts, diagnosticCode: texts });
const BounceBody = z.object({
  bounceType: texts,
  bounceSubType: texts,
  timestamp: texts,
  bouncedRecipients: z.array(Recipient).optional().catch(undefined),
});
const ComplaintBody = z.object({
  complaintFeedbackType: texts.nullable(),
  complaintSubType: texts.nullable(),
  timestamp: texts,
});
const Timed = z.object({ timestamp: texts });
const RejectBody = z.object({ reason: texts });
const OpenBody = z.object({ timestamp: texts, ipAddress: texts, userAgent: texts });
const ClickBody = OpenBody.extend({ link: texts });

const Envelope = z.object({ notificationType: texts, eventType: texts, mail: Mail });

/** How the mail is named. */
export type SesMail = z.infer<typeof Mail>;

type Unbound<T> = T extends unknown ? Omit<T, 'emailId'> : never;

/** A hit of SES's own tracking, to be judged like one of ours. */
export interface SesHit {
  kind: 'open' | 'click';
  url: string | null;
  at: Date;
  userAgent: string | null;
  ip: string | null;
}

export interface SesSaying {
  /** As SES calls it. */
  type: string;
  mail: SesMail;
  feedback: Unbound<Feedback> | null;
  hit: SesHit | null;
}

/**
 * Reads the `Message` of a notification; null when it is not about a mail (SES greets a new topic with a sentence).
 *
 * A bounce is permanent where SES says so; its `Transient` and `Undetermined`, and mails that SES refuses after it took
 * them (`Reject`), are transient. A report that says "not spam", or that a signature failed, is no complaint. `Send`,
 * `DeliveryDelay`, `Rendering Failure` and `Subscription` say nothing that we don't know.
 *
 * @param now stands for times that are missing, unreadable or ahead
 */
export function readSes(text: string, now: Date): SesSaying | null {
  const message = parse(text);
  const envelope = Envelope.safeParse(message);
  if (!envelope.success) return null;
  const { mail, notificationType, eventType } = envelope.data;
  const type = notificationType ?? eventType ?? '';
  return { type, mail, feedback: feedbackOf(type, message, now), hit: hitOf(type, message, now) };
}

function feedbackOf(type: string, message: unknown, now: Date): Unbound<Feedback> | null {
  switch (type) {
    case 'Bounce': {
      const { bounceType, bounceSubType, timestamp, bouncedRecipients = [] } = part(message, 'bounce', BounceBody);
      const [first] = bouncedRecipients;
      const reason = first?.diagnosticCode ?? ([bounceType, bounceSubType].filter(Boolean).join(': ') || first?.status);
      return {
        kind: 'bounced',
        bounceType: bounceType === 'Permanent' ? 'permanent' : 'transient',
        reason: cleanLine(reason ?? ''),
        at: timeOf(timestamp, now),
      };
    }
    case 'Complaint': {
      const { complaintFeedbackType, complaintSubType, timestamp } = part(message, 'complaint', ComplaintBody);
      if (!isComplaint(complaintFeedbackType ?? 'abuse')) return null;
      return {
        kind: 'complained',
        reason: cleanLine(complaintFeedbackType ?? complaintSubType ?? ''),
        at: timeOf(timestamp, now),
      };
    }
    case 'Delivery':
      return { kind: 'delivered', at: timeOf(part(message, 'delivery', Timed).timestamp, now) };
    case 'Reject':
      return {
        kind: 'bounced',
        bounceType: 'transient',
        reason: cleanLine(`Rejected by Amazon SES: ${part(message, 'reject', RejectBody).reason ?? 'no reason given'}`),
        at: now,
      };
    default:
      return null;
  }
}

function hitOf(type: string, message: unknown, now: Date): SesHit | null {
  if (type !== 'Open' && type !== 'Click') return null;
  const { link, timestamp, userAgent, ipAddress } = part(message, type.toLowerCase(), ClickBody);
  if (type === 'Click' && link === undefined) return null;
  return {
    kind: type === 'Open' ? 'open' : 'click',
    url: cleanLine(link ?? '', 2000),
    at: timeOf(timestamp, now),
    userAgent: cleanLine(userAgent ?? ''),
    ip: cleanLine(ipAddress ?? '', 100),
  };
}

/**
 * Whether a report of this kind (RFC 5965, 3.1; IANA's "Feedback Report Type Values") is a complaint of its recipient.
 */
export const isComplaint = (feedbackType: string): boolean =>
  !['not-spam', 'auth-failure', 'dmarc'].includes(feedbackType.trim().toLowerCase());

function part<T extends z.ZodObject>(message: unknown, name: string, schema: T): z.infer<T> {
  const value: unknown =
    typeof message === 'object' && message !== null ? Object.getOwnPropertyDescriptor(message, name)?.value : undefined;
  const read = schema.safeParse(value ?? {});
  return read.success ? read.data : schema.parse({});
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function timeOf(text: string | undefined, now: Date): Date {
  const at = new Date(text ?? Number.NaN);
  return Number.isNaN(at.getTime()) || at > now || at.getUTCFullYear() < 2000 ? now : at;
}
