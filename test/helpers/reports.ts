/** Delivery status notifications and feedback reports as mail servers write them. */
import { randomUUID } from 'node:crypto';

export interface DsnOptions {
  action?: string;
  status?: string | null;
  diagnostic?: string | null;
  /** The reported mail: its headers, or the whole mail. */
  original?: string;
  /** More groups of fields, one per recipient. */
  more?: string[];
  messageId?: string;
  headers?: string;
}

/** A notification as Postfix writes it (RFC 3464). */
export function dsn({
  action = 'failed',
  status = '5.1.1',
  diagnostic = 'smtp; 550 5.1.1 <ann@x.test>: user unknown',
  original = 'Subject: x\n',
  more = [],
  messageId = `${randomUUID()}@mx.test`,
  headers = '',
}: DsnOptions = {}): string {
  return `Received: from mx.test by mx.test; Sat, 1 Nov 2026 10:00:00 +0000
Date: Sat, 1 Nov 2026 10:00:00 +0000
From: MAILER-DAEMON@mx.test (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: sender@x.test
Auto-Submitted: auto-replied
MIME-Version: 1.0
${headers}Content-Type: multipart/report; report-type=delivery-status;
\tboundary="B0"
Message-Id: <${messageId}>

This is a MIME-encapsulated message.

--B0
Content-Description: Notification
Content-Type: text/plain; charset=utf-8

I'm sorry to have to inform you that your message could not be delivered.

--B0
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.test
X-Postfix-Queue-ID: 4Q
Arrival-Date: Sat, 1 Nov 2026 09:59:59 +0000

Final-Recipient: rfc822; ann@x.test
Original-Recipient: rfc822;ann@x.test
Action: ${action}
${status === null ? '' : `Status: ${status}\n`}Remote-MTA: dns; mx.test
${diagnostic === null ? '' : `Diagnostic-Code: ${diagnostic}\n`}${more.map((group) => `\n${group}\n`).join('')}
--B0
Content-Description: Undelivered Message
Content-Type: message/rfc822
Content-Transfer-Encoding: 8bit

${original}
--B0--
`;
}

export interface ArfOptions {
  type?: string;
  /** Fields of the report in addition to its type. */
  fields?: string;
  original?: string;
  /** The content type of the attached original. */
  as?: string;
}

/** A feedback report (RFC 5965). */
export const arf = ({
  type = 'abuse',
  fields = '',
  original = 'Subject: x\n',
  as = 'message/rfc822\nContent-Disposition: inline',
}: ArfOptions = {}): string => `From: <fbl@isp.test>
Date: Sat, 1 Nov 2026 10:00:00 +0000
Subject: FW: Earn money
To: <abuse@x.test>
MIME-Version: 1.0
Message-ID: <${randomUUID()}@isp.test>
Content-Type: multipart/report; report-type=feedback-report; boundary="P"

--P
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse report.

--P
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
${fields}
--P
Content-Type: ${as}

${original}

--P--
`;
