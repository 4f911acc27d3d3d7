/** Reports about campaigns and emails. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Lists why emails of a campaign failed, and sends those again that no mail server accepted. */
export async function retryFailures(sendloom: SendloomClient, campaignId: string) {
  const path = { id: campaignId };
  const { data } = unwrap(await sendloom.GET('/campaigns/{id}/failures', { params: { path } }));
  const { retried } = unwrap(
    await sendloom.POST('/campaigns/{id}/retry-failed', { params: { path }, body: { includeAmbiguous: false } }),
  );
  return { reasons: data.map(({ response, count }) => `${count}: ${response}`), retried };
}

/** Reads the clicked links of a campaign, its figures by hour, and the recipients who did not open it. */
export async function campaignReport(sendloom: SendloomClient, campaignId: string) {
  const path = { id: campaignId };
  const { data } = unwrap(await sendloom.GET('/campaigns/{id}/links', { params: { path } }));
  const hours = unwrap(
    await sendloom.GET('/campaigns/{id}/timeseries', {
      params: { path, query: { interval: 'hour', timezone: 'Europe/Berlin' } },
    }),
  );
  const recipients = unwrap(
    await sendloom.GET('/campaigns/{id}/recipients', { params: { path, query: { did: 'not_opened' } } }),
  );
  return { best: data[0]?.label ?? data[0]?.url ?? null, hours: hours.length, nonOpeners: recipients.total };
}

/** Chooses the variant with the highest rate so far as the winner of a test, without waiting for its end. */
export async function chooseBest(sendloom: SendloomClient, campaignId: string) {
  const path = { id: campaignId };
  const { variants } = unwrap(await sendloom.GET('/campaigns/{id}/stats', { params: { path } }));
  const [best] = [...variants].sort((a, b) => b.rate - a.rate);
  if (!best) return null;
  const { data } = unwrap(
    await sendloom.POST('/campaigns/{id}/winner', { params: { path }, body: { variant: best.id } }),
  );
  return data.variant;
}

/** Compares the last week with the week before, by domain of the recipients, and reads the growth of the contacts. */
export async function growth(sendloom: SendloomClient) {
  const points = unwrap(
    await sendloom.GET('/analytics/timeseries', {
      params: { query: { days: 7, timezone: 'America/New_York', groupBy: 'recipientDomain', compare: 'previous' } },
    }),
  );
  const contacts = unwrap(await sendloom.GET('/analytics/contacts', { params: { query: { days: 7 } } }));
  return { groups: [...new Set(points.map(({ group }) => group?.name ?? 'other'))], contacts: contacts.length };
}

/** Finds the last email to an address, and shows its content and what happened to it. */
export async function lastEmailTo(sendloom: SendloomClient, address: string) {
  const { data } = unwrap(await sendloom.GET('/emails', { params: { query: { to: address, limit: 1 } } }));
  const [email] = data;
  if (!email) return null;
  const path = { id: email.id };
  const { subject, exact } = unwrap(await sendloom.GET('/emails/{id}/content', { params: { path } }));
  const { attempts, hits } = unwrap(await sendloom.GET('/emails/{id}/events', { params: { path } }));
  return { subject, exact, attempts: attempts.length, opens: hits.filter(({ machine }) => !machine).length };
}
