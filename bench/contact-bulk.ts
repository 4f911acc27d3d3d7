/**
 * Bulk jobs by query in the database of bench/reads.ts, without Temporal: `npx tsx bench/contact-bulk.ts [search]
 * [operation]`. The contacts whose address contains the search text are changed; the last operation deletes them. Prints
 * contacts per second.
 */
import { z } from 'zod';
import { runBulkChunk } from '../src/domain/bulk/run.js';
import { newId } from '../src/ids.js';
import { perSecond, printTable } from './harness.js';
import { loadReads } from './reads-data.js';
import { loadAverage, startDataBench } from './segments-setup.js';

const Accepted = z.object({ jobId: z.string() });
const CONTACTS = 1_000_000;

const [search = '', only] = process.argv.slice(2);
const { ctx, project, call, stop } = await startDataBench((context) => loadReads(context, CONTACTS));
try {
  console.log(loadAverage());
  const segmentId = newId();
  await ctx.pool.query(
    `INSERT INTO segments (id, project_id, name, slug, type) VALUES ($1, $2, 'Bulk', $3, 'STATIC')`,
    [segmentId, project.id, `bulk-${segmentId}`],
  );
  const changes = [
    { operation: 'set', data: { changed: segmentId } },
    { operation: 'addToSegment', segmentId },
    { operation: 'removeFromSegment', segmentId },
    { operation: 'suppress' },
    { operation: 'unsuppress' },
    { operation: 'unsubscribe' },
    { operation: 'delete' },
  ];
  const rows = [];
  for (const change of changes.filter(({ operation }) => only === undefined || operation === only)) {
    const { jobId } = Accepted.parse(await call('POST', '/contacts/bulk', { ...change, query: { search } }));
    const begun = performance.now();
    let advance = await runBulkChunk(ctx, { jobId, projectId: project.id });
    while (advance?.done === false) advance = await runBulkChunk(ctx, { jobId, projectId: project.id });
    const contacts = advance?.total ?? 0;
    rows.push({
      operation: change.operation,
      contacts,
      'per second': perSecond(contacts, performance.now() - begun),
    });
  }
  printTable(rows);
  console.log(loadAverage());
} finally {
  await stop();
}
process.exit(0);
