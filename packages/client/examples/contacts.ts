/** Contacts, their fields, imports, and bulk jobs. */
import { form, unwrap, type SendloomClient } from '../src/index.js';

export async function keepContact(sendloom: SendloomClient, email: string) {
  const contact = unwrap(await sendloom.POST('/contacts', { body: { email, data: { plan: 'free' } } }));
  const path = { id: contact.id };
  unwrap(
    await sendloom.PATCH('/contacts/{id}', { params: { path }, body: { subscribed: false, data: { plan: 'pro' } } }),
  );
  return unwrap(await sendloom.GET('/contacts/{id}', { params: { path } }));
}

/** All contacts, one page at a time. */
export async function* allContacts(sendloom: SendloomClient) {
  for (let cursor: string | undefined, more = true; more;) {
    const page = unwrap(
      await sendloom.GET('/contacts', { params: { query: { limit: 100, ...(cursor && { cursor }) } } }),
    );
    yield* page.data;
    cursor = page.cursor ?? undefined;
    more = page.hasMore;
  }
}

export async function deleteContact(sendloom: SendloomClient, id: string) {
  unwrap(await sendloom.DELETE('/contacts/{id}', { params: { path: { id } } }));
}

export async function whoIsKnown(sendloom: SendloomClient, emails: string[]) {
  return unwrap(await sendloom.POST('/contacts/lookup', { body: { emails } })).found;
}

/** The values and usage of a field, before its deletion. */
export async function retireField(sendloom: SendloomClient, field: string) {
  const path = { field };
  const { fields } = unwrap(await sendloom.GET('/contacts/fields'));
  const { values } = unwrap(
    await sendloom.GET('/contacts/fields/{field}/values', { params: { path, query: { limit: 10 } } }),
  );
  const { canDelete } = unwrap(await sendloom.GET('/contacts/fields/{field}/usage', { params: { path } }));
  const deleted = canDelete
    ? unwrap(await sendloom.DELETE('/contacts/fields/{field}', { params: { path } })).deletedFrom
    : 0;
  return { known: fields.map((one) => one.field), values, deleted };
}

/** Renames a field, and returns how many contacts have it under the new name. */
export async function renameField(sendloom: SendloomClient, field: string, to: string) {
  const params = { path: { field } };
  return unwrap(await sendloom.POST('/contacts/fields/{field}/rename', { params, body: { to } })).renamedIn;
}

export async function importFile(sendloom: SendloomClient, csv: string) {
  const { jobId } = unwrap(
    await sendloom.POST('/contacts/import', {
      body: { file: new File([csv], 'contacts.csv', { type: 'text/csv' }) },
      bodySerializer: form,
    }),
  );
  return unwrap(await sendloom.GET('/contacts/import/{jobId}', { params: { path: { jobId } } })).state;
}

export async function bulk(sendloom: SendloomClient, contactIds: string[]) {
  unwrap(await sendloom.POST('/contacts/bulk-subscribe', { body: { contactIds } }));
  unwrap(await sendloom.POST('/contacts/bulk-unsubscribe', { body: { contactIds } }));
  const { jobId } = unwrap(await sendloom.POST('/contacts/bulk-delete', { body: { contactIds } }));
  return unwrap(await sendloom.GET('/contacts/bulk/{jobId}', { params: { path: { jobId } } })).progress;
}

/** A suppressed address gets only transactional email. */
export async function suppress(sendloom: SendloomClient, email: string) {
  unwrap(await sendloom.POST('/suppressions', { body: { email, reason: 'manual' } }));
  const { reason } = unwrap(await sendloom.GET('/suppressions/{email}', { params: { path: { email } } }));
  const { total } = unwrap(await sendloom.GET('/suppressions', { params: { query: { reason: 'manual' } } }));
  unwrap(await sendloom.DELETE('/suppressions/{email}', { params: { path: { email } } }));
  return { reason, total };
}
