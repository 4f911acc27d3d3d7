/** Previews of content. */
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
