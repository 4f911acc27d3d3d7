/** Jobs, imports, and exports. */
import { form, unwrap, type SendloomClient } from '../src/index.js';

export async function startImport(sendloom: SendloomClient, csv: string) {
  const file = new File([csv], 'contacts.csv', { type: 'text/csv' });
  return unwrap(await sendloom.POST('/contacts/import', { body: { file }, bodySerializer: form }));
}

/** Tests a file with German column names, without changing anything. @returns the id of the job */
export async function testImport(sendloom: SendloomClient, file: File, segmentId: string) {
  const mapping = {
    'E-Mail': { to: 'email' },
    Kundennummer: { to: 'data.customerNumber', type: 'string' },
    Notiz: { to: null },
  };
  const fields = { file, mapping: JSON.stringify(mapping), dryRun: 'true', onExisting: 'skip', segmentId } as const;
  return unwrap(await sendloom.POST('/contacts/import', { body: fields, bodySerializer: form })).jobId;
}

/** The newest import, and what a job does. */
export async function jobs(sendloom: SendloomClient, id: string) {
  const { data } = unwrap(await sendloom.GET('/jobs', { params: { query: { kind: 'import', limit: 1 } } }));
  const job = unwrap(await sendloom.GET('/jobs/{id}', { params: { path: { id } } }));
  return { newest: data[0]?.id, operation: job.operation };
}

/** Queues an export. `result.url` of the job is the file for 24 hours. @returns the id of the job */
export async function startExport(sendloom: SendloomClient) {
  const query = { status: 'subscribed' } as const;
  return unwrap(await sendloom.POST('/exports', { body: { kind: 'contacts', format: 'csv', query } })).jobId;
}

/** Downloads the file of a completed export. A browser can open the URL itself. */
export async function downloadExport(sendloom: SendloomClient, id: string) {
  const job = unwrap(await sendloom.GET('/jobs/{id}', { params: { path: { id } } }));
  if (job.kind !== 'export' || !job.result?.url) return null;
  const token = job.result.url.split('/').at(-1) ?? '';
  return unwrap(await sendloom.GET('/exports/{token}', { params: { path: { token } }, parseAs: 'text' }));
}

/** Cancels a job. @returns its state, and its errors as CSV */
export async function cancelJob(sendloom: SendloomClient, id: string) {
  const path = { id };
  const { state } = unwrap(await sendloom.DELETE('/jobs/{id}', { params: { path } }));
  const errors = unwrap(await sendloom.GET('/jobs/{id}/errors.csv', { params: { path }, parseAs: 'text' }));
  return { state, errors };
}
