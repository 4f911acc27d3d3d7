/** The public API: send, track, and verify. */
import { unwrap, type SendloomClient } from '../src/index.js';

/**
 * Sends one email. A repeat with the same key returns 409, so the email is sent only once.
 *
 * @returns the ids of the contact and of the email
 */
export async function sendReceipt(sendloom: SendloomClient, { from, orderId }: { from: string; orderId: string }) {
  const { data } = unwrap(
    await sendloom.POST('/v1/send', {
      params: { header: { 'Idempotency-Key': `receipt-${orderId}` } },
      body: {
        to: { email: 'ada@example.test', name: 'Ada' },
        from: { email: from, name: 'Shop' },
        subject: 'Your order {{ order }}',
        body: '<p>Thank you, {{ firstName ?? "friend" }}.</p>',
        data: { order: orderId, firstName: 'Ada' },
      },
    }),
  );
  const [sent] = data.emails;
  if (!sent?.contact.id) throw new Error('The response has no contact.');
  return { contactId: sent.contact.id, emailId: sent.email };
}

/** Schedules two reminders, moves and cancels one, and cancels what is left of the group. @returns the number of the latter */
export async function remindUnlessPaid(sendloom: SendloomClient, { from, orderId }: { from: string; orderId: string }) {
  const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  const group = `order ${orderId}`;
  const content = { subject: 'Your invoice', body: '<p>Please remember to pay.</p>', from };
  const body = { to: ['ada@example.test', 'eve@example.test'], ...content, scheduledFor: inHours(24), group };
  const { data } = unwrap(await sendloom.POST('/v1/send', { body }));
  const path = { id: data.emails[0]?.email ?? '' };
  unwrap(await sendloom.PATCH('/emails/{id}', { params: { path }, body: { scheduledFor: inHours(48) } }));
  unwrap(await sendloom.POST('/emails/{id}/cancel', { params: { path } }));
  return unwrap(await sendloom.POST('/emails/cancel', { body: { group } })).count;
}

/**
 * Sends the receipts of several orders together: all or none. The error of a rejected batch names the order.
 *
 * @returns the ids of the emails
 */
export async function sendReceipts(sendloom: SendloomClient, { from, orderIds }: { from: string; orderIds: string[] }) {
  const content = { from, subject: 'Your order {{ order }}', body: '<p>Thank you.</p>' };
  const emails = orderIds.map((order) => ({ to: 'ada@example.test', ...content, data: { order } }));
  const { data } = unwrap(await sendloom.POST('/v1/batch', { body: { emails } }));
  return data.flatMap((result) => (result.success ? result.data.emails.map(({ email }) => email) : []));
}

/**
 * Sends an invoice with a copy for an archive, on the next morning in Berlin.
 *
 * @returns the ids of the email and of its copy
 */
export async function invoiceTomorrow(sendloom: SendloomClient, { from, day }: { from: string; day: string }) {
  const { data } = unwrap(
    await sendloom.POST('/v1/send', {
      body: {
        to: 'ada@example.test',
        bcc: 'archive@example.test',
        from,
        subject: 'Your invoice',
        body: '<p>Your <a href="https://shop.example.com/invoices/17">invoice</a></p>',
        text: 'Your invoice: https://shop.example.com/invoices/17',
        tags: ['invoice'],
        scheduledFor: `${day}T09:00`,
        timezone: 'Europe/Berlin',
      },
    }),
  );
  return data.emails.map(({ email }) => email);
}

/** The status of the email. */
export async function statusOf(sendloom: SendloomClient, emailId: string) {
  return unwrap(await sendloom.GET('/emails/{id}', { params: { path: { id: emailId } } })).status;
}

/** Tracks an event with the public key, which browsers may use. */
export async function trackSignup(sendloomPublic: SendloomClient, email: string) {
  const { data } = unwrap(
    await sendloomPublic.POST('/v1/track', { body: { email, event: 'signup', data: { plan: 'pro' } } }),
  );
  return data.event;
}

export async function looksReal(sendloom: SendloomClient, email: string) {
  const { data } = unwrap(await sendloom.POST('/v1/verify', { body: { email } }));
  return data.valid && !data.isDisposable;
}
