/**
 * Reads the reports of Amazon SES about a mail: its notifications (`notificationType`) and events (`eventType`). Pure.
 */
import { z } from 'zod';
import type { Feedback } from './sql/feedback.js';
import { cleanLine } from './text.js';

const texts = z.string().optional().catch(undefined);

const Mail = z.object({
  messageId: texts,
  timestamp: texts,
  /** The sender of the envelope. */
  source: texts,
  /** The headers that SES received, if the topic includes them. */
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

/** The names of the mail. */
export type SesMail = z.infer<typeof Mail>;

type Unbound<T> = T extends unknown ? Omit<T, 'emailId'> : never;

/** A hit of SES's own tracking, which is classified like one of ours. */
export interface SesHit {
  kind: 'open' | 'click';
  url: string | null;
  at: Date;
  userAgent: string | null;
  ip: string | null;
}

export interface SesReport {
  /** SES's name of the report. */
  type: string;
  mail: SesMail;
  feedback: Unbound<Feedback> | null;
  hit: SesHit | null;
}

/**
 * Reads the `Message` of a notification. Returns null if it is not about a mail: SES sends a greeting to a new topic.
 *
 * Only `Permanent` bounces are permanent; `Transient`, `Undetermined`, and `Reject` (an accepted mail that SES does not
 * send) are transient. Reports of "not spam" or of a failed signature are not complaints. `Send`, `DeliveryDelay`,
 * `Rendering Failure`, and `Subscription` have no effect.
 *
 * @param now replaces times that are missing, malformed, or in the future
 */
export function readSes(text: string, now: Date): SesReport | null {
  const message = parseJson(text);
  const envelope = Envelope.safeParse(message);
  if (!envelope.success) return null;
  const { mail, notificationType, eventType } = envelope.data;
  const type = notificationType ?? eventType ?? '';
  return { type, mail, feedback: feedbackOf(type, message, now), hit: hitOf(type, message, now) };
}

function feedbackOf(type: string, message: unknown, now: Date): Unbound<Feedback> | null {
  switch (type) {
    case 'Bounce': {
      const { bounceType, bounceSubType, timestamp, bouncedRecipients = [] } = readPart(message, 'bounce', BounceBody);
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
      const { complaintFeedbackType, complaintSubType, timestamp } = readPart(message, 'complaint', ComplaintBody);
      if (!isComplaint(complaintFeedbackType ?? 'abuse')) return null;
      return {
        kind: 'complained',
        reason: cleanLine(complaintFeedbackType ?? complaintSubType ?? ''),
        at: timeOf(timestamp, now),
      };
    }
    case 'Delivery':
      return { kind: 'delivered', at: timeOf(readPart(message, 'delivery', Timed).timestamp, now) };
    case 'Reject':
      return {
        kind: 'bounced',
        bounceType: 'transient',
        reason: cleanLine(
          `Rejected by Amazon SES: ${readPart(message, 'reject', RejectBody).reason ?? 'no reason given'}`,
        ),
        at: now,
      };
    default:
      return null;
  }
}

function hitOf(type: string, message: unknown, now: Date): SesHit | null {
  if (type !== 'Open' && type !== 'Click') return null;
  const { link, timestamp, userAgent, ipAddress } = readPart(message, type.toLowerCase(), ClickBody);
  if (type === 'Click' && link === undefined) return null;
  return {
    kind: type === 'Open' ? 'open' : 'click',
    url: cleanLine(link ?? '', 2000),
    at: timeOf(timestamp, now),
    userAgent: cleanLine(userAgent ?? ''),
    ip: cleanLine(ipAddress ?? '', 100),
  };
}

/** Whether a feedback type (RFC 5965, section 3.1; IANA's "Feedback Report Type Values") is a recipient's complaint. */
export const isComplaint = (feedbackType: string): boolean =>
  !['not-spam', 'auth-failure', 'dmarc'].includes(feedbackType.trim().toLowerCase());

function readPart<T extends z.ZodObject>(message: unknown, name: string, schema: T): z.infer<T> {
  const value: unknown =
    typeof message === 'object' && message !== null ? Object.getOwnPropertyDescriptor(message, name)?.value : undefined;
  const read = schema.safeParse(value ?? {});
  return read.success ? read.data : schema.parse({});
}

function parseJson(text: string): unknown {
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
