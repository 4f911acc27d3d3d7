/** Queries for contacts, changes of many contacts, and what happened to one. */
import { unwrap, type SendloomClient } from '../src/index.js';

const PRO = {
  logic: 'AND' as const,
  groups: [{ filters: [{ field: 'data.plan', operator: 'equals' as const, value: 'pro' }] }],
};

/** Reads the page of a table at a scroll position, and the page after it. */
export async function scrollTo(sendloom: SendloomClient, position: number) {
  const query = { condition: PRO, sort: 'email', dir: 'asc', limit: 1 } as const;
  const page = unwrap(await sendloom.POST('/contacts/query', { body: { ...query, position } }));
  const next =
    page.cursor && unwrap(await sendloom.POST('/contacts/query', { body: { ...query, cursor: page.cursor } }));
  return { total: page.total, emails: [...page.data, ...(next ? next.data : [])].map(({ email }) => email) };
}

/** Counts a condition whose second filter still lacks its value. */
export async function previewEdited(sendloom: SendloomClient) {
  const filters = [...PRO.groups.flatMap((group) => group.filters), { field: 'data.city', operator: 'equals' }];
  const body = { condition: { logic: 'AND', groups: [{ filters }] } };
  const { total, incomplete } = unwrap(await sendloom.POST('/contacts/preview', { body }));
  return { total, incomplete };
}

/** Changes all contacts of a query except one. @returns the id of the job */
export async function upgradeAll(sendloom: SendloomClient, except: string) {
  return unwrap(
    await sendloom.POST('/contacts/bulk', {
      body: { operation: 'set', data: { plan: 'team' }, query: { condition: PRO }, except: [except] },
    }),
  ).jobId;
}

/** Finds the filters that keep a contact out of a segment. */
export async function missingFilters(sendloom: SendloomClient, segmentId: string, contactId: string) {
  const params = { path: { id: segmentId }, query: { contactId } };
  const { groups } = unwrap(await sendloom.GET('/segments/{id}/explain', { params }));
  return groups.flatMap(({ filters }) => filters.filter(({ matches }) => !matches).map(({ path }) => path));
}

/** Counts the emails and the workflow executions of a contact. */
export async function historyOf(sendloom: SendloomClient, id: string) {
  const params = { path: { id } };
  const emails = unwrap(await sendloom.GET('/contacts/{id}/emails', { params }));
  const executions = unwrap(await sendloom.GET('/contacts/{id}/executions', { params }));
  return { emails: emails.total, executions: executions.total };
}
