/** Events, activity, analytics, and sender domains. */
import { unwrap, type SendloomClient } from '../src/index.js';

export async function events(sendloom: SendloomClient, contactId: string) {
  unwrap(await sendloom.POST('/events/track', { body: { email: 'ada@example.test', event: 'trial/ended' } }));
  const path = { eventName: 'trial/ended' };
  const { data } = unwrap(
    await sendloom.GET('/events', { params: { query: { eventName: 'trial/ended', include: 'contact' } } }),
  );
  const { eventNames } = unwrap(await sendloom.GET('/events/names'));
  const counts = unwrap(await sendloom.GET('/events/stats', { params: { query: { startDate: '2026-01-01' } } }));
  const { days } = unwrap(await sendloom.GET('/events/days', { params: { query: { days: 7 } } }));
  const ofOne = unwrap(await sendloom.GET('/events/contact/{contactId}', { params: { path: { contactId } } }));
  const { canDelete } = unwrap(await sendloom.GET('/events/{eventName}/usage', { params: { path } }));
  const { deletedCount } = unwrap(await sendloom.DELETE('/events/{eventName}', { params: { path } }));
  return {
    recorded: data.length,
    by: data[0]?.contactEmail,
    eventNames,
    counts,
    days: days.length,
    ofOne: ofOne.data.length,
    canDelete,
    deletedCount,
  };
}

export async function activity(sendloom: SendloomClient) {
  const { types } = unwrap(await sendloom.GET('/activity/types'));
  const { data } = unwrap(
    await sendloom.GET('/activity', { params: { query: { types: ['event.tracked'], limit: 5 } } }),
  );
  const { totalEvents } = unwrap(await sendloom.GET('/activity/stats'));
  const { count } = unwrap(await sendloom.GET('/activity/recent-count', { params: { query: { minutes: 5 } } }));
  const { activities } = unwrap(await sendloom.GET('/activity/upcoming', { params: { query: { daysAhead: 7 } } }));
  return { types, latest: data[0]?.type, totalEvents, count, upcoming: activities.length };
}

export async function figures(sendloom: SendloomClient) {
  const days = unwrap(await sendloom.GET('/analytics/timeseries', { params: { query: { days: 7 } } }));
  const best = unwrap(await sendloom.GET('/analytics/top-campaigns', { params: { query: { limit: 3 } } }));
  const { total } = unwrap(await sendloom.GET('/analytics/campaign-stats'));
  const names = unwrap(await sendloom.GET('/analytics/top-events'));
  return { days: days.length, best, total, names };
}

/** Adds a sender domain. @returns the DNS records to publish */
export async function domain(sendloom: SendloomClient, projectId: string) {
  const { id, records } = unwrap(await sendloom.POST('/domains', { body: { domain: 'mail.example.test' } }));
  const params = { path: { id } };
  const { verified } = unwrap(await sendloom.GET('/domains/{id}/verify', { params }));
  unwrap(await sendloom.POST('/domains/{id}/verify', { params }));
  unwrap(await sendloom.GET('/domains/{id}', { params }));
  const zone = unwrap(await sendloom.GET('/domains/{id}/zone', { params, parseAs: 'text' }));
  const all = unwrap(await sendloom.GET('/domains/project/{projectId}', { params: { path: { projectId } } }));
  unwrap(await sendloom.DELETE('/domains/{id}', { params: { path: { id } } }));
  return { records: records.map(({ type, name }) => `${type} ${name}`), zone, verified, all: all.length };
}
