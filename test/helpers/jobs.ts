/**
 * Imports and bulk jobs through the API, and their steps without Temporal: what `contactImport` and `bulkJob` call in
 * turn.
 */
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ApiContext } from '../../src/context.js';
import { runBulkChunk } from '../../src/domain/bulk/run.js';
import { prepareImport } from '../../src/domain/imports/prepare.js';
import { importChunk } from '../../src/domain/imports/run.js';
import type { TestApi, TestProject } from './api.js';

export interface Part {
  name: string;
  content: string | Buffer;
  /** A part without a file name is a field. */
  filename?: string;
}

const BOUNDARY = 'a-boundary-of-these-tests';

/** A form as browsers send it. */
export function form(parts: Part[]): { payload: Buffer; headers: Record<string, string> } {
  const pieces = parts.flatMap(({ name, content, filename }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/csv`}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    payload: Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

const Accepted = z.object({ message: z.string().min(1), jobId: z.uuid() });

const Result = z.object({
  totalRows: z.number(),
  successCount: z.number(),
  createdCount: z.number(),
  updatedCount: z.number(),
  failureCount: z.number(),
  errors: z.array(z.object({ row: z.number(), email: z.string(), error: z.string() })),
});
const BulkResult = z.object({
  operation: z.string(),
  totalRequested: z.number(),
  successCount: z.number(),
  skippedCount: z.number(),
  failureCount: z.number(),
  errors: z.array(z.object({ contactId: z.string(), error: z.string() })),
});
const status = <T extends z.ZodType>(result: T) =>
  z.strictObject({
    id: z.string(),
    state: z.enum(['waiting', 'active', 'completed', 'failed', 'cancelled']),
    progress: z.number(),
    result: result.nullable(),
    failedReason: z.string().nullable(),
  });
const ImportStatus = status(Result);
const BulkStatus = status(BulkResult);

/** The steps of an import, up to its end. */
export async function runImport(ctx: ApiContext, job: { jobId: string; projectId: string }): Promise<void> {
  for (;;) {
    if (!(await prepareImport(ctx, job))) return;
    for (;;) {
      const chunk = await importChunk(ctx, job);
      if (chunk === 'lost') break;
      if (chunk === null || chunk.done) return;
    }
  }
}

export async function runBulk(ctx: ApiContext, job: { jobId: string; projectId: string }): Promise<void> {
  for (;;) {
    const chunk = await runBulkChunk(ctx, job);
    if (chunk === null || chunk.done) return;
  }
}

export function jobHelpers(api: TestApi) {
  const upload = (project: TestProject, parts: Part[]): Promise<LightMyRequestResponse> => {
    const { payload, headers } = form(parts);
    return api.app.inject({
      method: 'POST',
      url: '/contacts/import',
      headers: { ...headers, authorization: `Bearer ${project.secret}` },
      payload,
    });
  };
  const uploadFile = (project: TestProject, content: string | Buffer, fields: Record<string, string> = {}) =>
    upload(project, [
      { name: 'file', filename: 'contacts.csv', content },
      ...Object.entries(fields).map(([name, value]) => ({ name, content: value })),
    ]);

  /** @returns the id of an import that was accepted */
  const queue = async (
    project: TestProject,
    content: string | Buffer,
    fields?: Record<string, string>,
  ): Promise<string> => {
    const response = await uploadFile(project, content, fields);
    expect(response.statusCode, response.body).toBe(202);
    return Accepted.parse(response.json()).jobId;
  };
  const importStatus = async (project: TestProject, jobId: string) => {
    const response = await api.as(project, 'GET', `/contacts/import/${jobId}`);
    expect(response.statusCode, response.body).toBe(200);
    return ImportStatus.parse(response.json());
  };
  /** Imports a file, which must be completed. @returns its result */
  const importFile = async (project: TestProject, content: string | Buffer) => {
    const jobId = await queue(project, content);
    await runImport(api.ctx, { jobId, projectId: project.id });
    const { result, ...job } = await importStatus(project, jobId);
    expect(job).toEqual({ id: jobId, state: 'completed', progress: 100, failedReason: null });
    if (!result) throw new Error('A completed job has a result');
    expect(result.totalRows).toBe(result.successCount + result.failureCount);
    expect(result.successCount).toBe(result.createdCount + result.updatedCount);
    return result;
  };

  const queueBulk = async (project: TestProject, operation: string, contactIds: string[]): Promise<string> => {
    const response = await api.as(project, 'POST', `/contacts/bulk-${operation}`, { contactIds });
    expect(response.statusCode, response.body).toBe(202);
    return Accepted.parse(response.json()).jobId;
  };
  const bulkStatus = async (project: TestProject, jobId: string) => {
    const response = await api.as(project, 'GET', `/contacts/bulk/${jobId}`);
    expect(response.statusCode, response.body).toBe(200);
    return BulkStatus.parse(response.json());
  };
  /** Runs a bulk job, which must be completed. @returns its result */
  const bulk = async (project: TestProject, operation: string, contactIds: string[]) => {
    const jobId = await queueBulk(project, operation, contactIds);
    await runBulk(api.ctx, { jobId, projectId: project.id });
    const { result, ...job } = await bulkStatus(project, jobId);
    expect(job).toEqual({ id: jobId, state: 'completed', progress: 100, failedReason: null });
    if (!result) throw new Error('A completed job has a result');
    return result;
  };

  /** The project's contacts by address: what a test holds against what it expects. */
  const contacts = async (project: TestProject): Promise<Record<string, { subscribed: boolean; data: unknown }>> => {
    const rows = await api.ctx.prisma.contact.findMany({
      where: { projectId: project.id },
      orderBy: { email: 'asc' },
      select: { email: true, subscribed: true, data: true },
    });
    return Object.fromEntries(rows.map(({ email, ...contact }) => [email, contact]));
  };
  /** The project's subscription events: name, source, address. */
  const flips = async (project: TestProject): Promise<string[]> => {
    const { rows } = await api.ctx.pool.query<{ flip: string }>(
      `SELECT e.name || ' ' || (e.data ->> 'source') || ' ' || c.email AS flip FROM events e JOIN contacts c ON c.id = e.contact_id WHERE e.project_id = $1 ORDER BY 1`,
      [project.id],
    );
    return rows.map(({ flip }) => flip);
  };
  return { upload, uploadFile, queue, importStatus, importFile, queueBulk, bulkStatus, bulk, contacts, flips };
}
