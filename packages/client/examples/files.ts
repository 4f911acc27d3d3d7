/** Jobs and imports. */
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

/** Cancels a job. @returns its state, and its errors as CSV */
export async function cancelJob(sendloom: SendloomClient, id: string) {
  const path = { id };
  const { state } = unwrap(await sendloom.DELETE('/jobs/{id}', { params: { path } }));
  const errors = unwrap(await sendloom.GET('/jobs/{id}/errors.csv', { params: { path }, parseAs: 'text' }));
  return { state, errors };
}
