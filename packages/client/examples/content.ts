/** Templates with an image, and campaigns. */
import { form, unwrap, type SendloomClient } from '../src/index.js';

/** Uploads an image. @returns the URL for `<img src>`, and the image at that URL */
export async function uploadLogo(sendloom: SendloomClient, png: Blob) {
  const { url, key } = unwrap(await sendloom.POST('/uploads/image', { body: { image: png }, bodySerializer: form }));
  const [folder = '', file = ''] = key.split('/');
  const content = unwrap(
    await sendloom.GET('/uploads/{folder}/{file}', { params: { path: { folder, file } }, parseAs: 'blob' }),
  );
  return { url, size: content.size };
}

export async function templates(sendloom: SendloomClient, from: string) {
  const { id } = unwrap(
    await sendloom.POST('/templates', {
      body: {
        name: 'Welcome',
        subject: 'Welcome, {{ firstName ?? "friend" }}',
        body: '<p>Good to have you.</p>',
        from,
        type: 'MARKETING',
      },
    }),
  );
  const path = { id };
  unwrap(await sendloom.PATCH('/templates/{id}', { params: { path }, body: { description: 'The first email' } }));
  const copy = unwrap(await sendloom.POST('/templates/{id}/duplicate', { params: { path } }));
  const { emailsSent } = unwrap(await sendloom.GET('/templates/{id}/usage', { params: { path } }));
  unwrap(await sendloom.DELETE('/templates/{id}', { params: { path: { id: copy.id } } }));
  const { total } = unwrap(await sendloom.GET('/templates', { params: { query: { type: 'MARKETING' } } }));
  return { name: unwrap(await sendloom.GET('/templates/{id}', { params: { path } })).name, emailsSent, total };
}

/** Previews the audience of a campaign, sends a test, schedules the campaign, and cancels it. */
export async function campaign(sendloom: SendloomClient, from: string) {
  const content = {
    name: 'News',
    subject: 'News',
    body: '<p>News for {{ email }}</p>',
    from,
    audienceType: 'ALL',
  } as const;
  const { willSend } = unwrap(await sendloom.POST('/campaigns/audience', { body: { audienceType: 'ALL' } }));
  const { data } = unwrap(await sendloom.POST('/campaigns', { body: content }));
  const path = { id: data.id };
  unwrap(
    await sendloom.PUT('/campaigns/{id}', { params: { path }, body: { ...content, subject: 'News of this week' } }),
  );
  unwrap(await sendloom.POST('/campaigns/{id}/test', { params: { path }, body: { email: 'me@example.test' } }));
  unwrap(
    await sendloom.POST('/campaigns/{id}/send', {
      params: { path },
      body: { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() },
    }),
  );
  // Each recipient gets it at 09:00 in the time zone of the contact.
  const day = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
  unwrap(
    await sendloom.POST('/campaigns/{id}/send', {
      params: { path },
      body: { scheduledFor: `${day}T09:00`, timezone: 'recipient', fallbackTimezone: 'Europe/Berlin' },
    }),
  );
  const waves = unwrap(await sendloom.GET('/campaigns/{id}/waves', { params: { path } }));
  unwrap(await sendloom.POST('/campaigns/{id}/cancel', { params: { path } }));
  const { status } = unwrap(await sendloom.GET('/campaigns/{id}', { params: { path } }));
  const { openRate } = unwrap(await sendloom.GET('/campaigns/{id}/stats', { params: { path } }));
  const recipients = unwrap(
    await sendloom.GET('/campaigns/{id}/recipients', { params: { path, query: { status: 'SENT' } } }),
  );
  const copy = unwrap(await sendloom.POST('/campaigns/{id}/duplicate', { params: { path } }));
  unwrap(await sendloom.DELETE('/campaigns/{id}', { params: { path: { id: copy.id } } }));
  const { total } = unwrap(await sendloom.GET('/campaigns', { params: { query: { status: 'CANCELLED' } } }));
  return { willSend, status, openRate, recipients: recipients.total, total, waves: waves.data.length };
}
