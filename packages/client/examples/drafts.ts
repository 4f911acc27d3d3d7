/** Previews of content, and drafts that are saved while they are written. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Renders a content with the data of a contact. @returns the subject, and the codes of its problems */
export async function preview(sendloom: SendloomClient, from: string, contactId: string) {
  const { subject, problems } = unwrap(
    await sendloom.POST('/render', {
      body: {
        subject: 'News for {{ email }}',
        preheader: 'Three things that changed',
        body: '<p>Hi {{ frist ?? "friend" }}</p><img src="https://shop.test/logo.png">',
        type: 'TRANSACTIONAL',
        from,
        contactId,
      },
    }),
  );
  return { subject, codes: problems.map(({ code }) => code) };
}

/** Saves a campaign as a draft, then field by field, and sends it when nothing is missing. */
export async function writeCampaign(sendloom: SendloomClient, from: string) {
  const { data } = unwrap(await sendloom.POST('/campaigns', { body: { name: 'November news', draft: true } }));
  const missing = data.problems.filter(({ level }) => level === 'error').map(({ path }) => path);
  const path = { id: data.id };
  unwrap(await sendloom.PATCH('/campaigns/{id}', { params: { path }, body: { subject: '{{ na', draft: true } }));
  unwrap(
    await sendloom.PATCH('/campaigns/{id}', {
      params: { path },
      body: { subject: 'News for {{ email }}', body: '<p>News</p>', from, audienceType: 'ALL', draft: false },
    }),
  );
  const { draft } = unwrap(await sendloom.GET('/campaigns/{id}', { params: { path } }));
  return { missing, draft };
}

/** Sends a template to a colleague, with the data of a contact. */
export async function testTemplate(sendloom: SendloomClient, templateId: string, contactId: string) {
  const { status } = unwrap(
    await sendloom.POST('/templates/{id}/test', {
      params: { path: { id: templateId } },
      body: { email: 'colleague@example.test', contactId },
    }),
  );
  return status;
}
