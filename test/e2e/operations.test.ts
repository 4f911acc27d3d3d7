/** Metrics, readiness, and traces of whole processes. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { onTestFinished, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { insertProject } from '../helpers/api.js';
import { openCluster, useCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { newId } from '../../src/ids.js';
import type { TestProject } from '../helpers/project.js';

const portOf = (cluster: Cluster, name: 'api' | 'worker'): number => {
  const line = cluster[name].logged.findLast((one) => one.includes('The metrics server listens'));
  return z.object({ port: z.number() }).parse(JSON.parse(line ?? '{}')).port;
};
/** A response of the metrics port. */
async function fetchMetricsPage(
  cluster: Cluster,
  name: 'api' | 'worker',
  path: string,
): Promise<{ status: number; body: string }> {
  const port = await eventually(() => portOf(cluster, name));
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.text() };
}
/** The value of the first line with this prefix. */
function value(body: string, start: string): number {
  const line = body.split('\n').find((one) => one.startsWith(start));
  if (line === undefined) throw new Error(`No line ${start}`);
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}
const call = (
  cluster: Cluster,
  project: TestProject,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  fetch(`${cluster.api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const mail = (project: TestProject, to: string) => ({
  to,
  from: `us@${project.domain}`,
  subject: 'Hello',
  body: '<p>Hello</p>',
});

describe('a process', () => {
  const running = useCluster({ ownPostgres: true });

  test('serves metrics of requests by route, emails by outcome, connections, queues, and the Temporal SDK', async () => {
    const cluster = running();
    const project = await insertProject(cluster.ctx);
    expect((await call(cluster, project, 'POST', '/v1/send', mail(project, 'one@x.test'))).status).toBe(200);
    expect((await call(cluster, project, 'POST', '/v1/send', { to: 'one@x.test' })).status).toBe(422);
    expect((await fetch(`${cluster.api.url}/no/such/${newId()}`)).status).toBe(404);
    expect((await fetch(`${cluster.api.url}/metrics`)).status).toBe(404);

    const api = (await fetchMetricsPage(cluster, 'api', '/metrics')).body;
    expect(
      value(api, 'sendloom_http_request_duration_seconds_count{method="POST",route="/v1/send",status="200"}'),
    ).toBe(1);
    expect(
      value(api, 'sendloom_http_request_duration_seconds_count{method="POST",route="/v1/send",status="422"}'),
    ).toBe(1);
    expect(value(api, 'sendloom_http_request_duration_seconds_count{method="none",route="none",status="404"}')).toBe(2);
    expect(value(api, 'sendloom_pool_connections{pool="api",state="max"}')).toBe(10);
    expect(value(api, 'process_cpu_user_seconds_total')).toBeGreaterThan(0);

    await eventually(async () => {
      const worker = (await fetchMetricsPage(cluster, 'worker', '/metrics')).body;
      expect(value(worker, 'sendloom_email_attempts_total{source="TRANSACTIONAL",outcome="sent"}')).toBe(1);
      expect(value(worker, 'sendloom_outbox_lag_seconds')).toBe(0);
      expect(value(worker, 'sendloom_dispatcher_lag_seconds')).toBe(0);
      expect(value(worker, 'sendloom_workers_alive')).toBe(1);
      expect(value(worker, 'sendloom_database_up')).toBe(1);
      expect(worker).toMatch(/^temporal_\w+\{/m);
      expect(worker).not.toMatch(/@|one@x/);
    });
  });

  test('is ready while PostgreSQL and Temporal are', async () => {
    const cluster = running();
    const ready = async (): Promise<unknown[]> => {
      const [api, worker] = [
        await fetch(`${cluster.api.url}/health/ready`),
        await fetchMetricsPage(cluster, 'worker', '/health/ready'),
      ];
      const { status, parts } = z
        .union([
          z
            .object({ status: z.string(), database: z.string(), temporal: z.string() })
            .transform(({ status: state, ...rest }) => ({ status: state, parts: rest })),
          z
            .object({ error: z.object({ details: z.unknown() }) })
            .transform(({ error }) => ({ status: 'unavailable', parts: error.details })),
        ])
        .parse(await api.json());
      return [api.status, status, parts, worker.status, JSON.parse(worker.body)];
    };
    const up = [
      200,
      'ok',
      { database: 'ok', temporal: 'ok' },
      200,
      { status: 'ok', draining: false, database: 'ok', temporal: 'ok', workers: 'ok' },
    ];
    await eventually(async () => expect(await ready()).toEqual(up));

    await cluster.temporal.stop();
    await eventually(async () =>
      expect(await ready()).toMatchObject([
        503,
        'unavailable',
        { database: 'ok', temporal: 'unavailable' },
        503,
        { status: 'unavailable', database: 'ok', temporal: 'unavailable' },
      ]),
    );
    expect((await fetch(`${cluster.api.url}/health/live`)).status).toBe(200);
    await cluster.temporal.start();
    await eventually(async () => expect(await ready()).toEqual(up));

    await cluster.postgres.stop();
    await eventually(async () =>
      expect(await ready()).toMatchObject([
        503,
        'unavailable',
        { database: 'unavailable', temporal: 'ok' },
        503,
        { database: 'unavailable' },
      ]),
    );
    const { status, body } = await fetchMetricsPage(cluster, 'worker', '/metrics');
    expect([status, value(body, 'sendloom_database_up')]).toEqual([200, 0]);
    await cluster.postgres.start();
    await eventually(async () => expect(await ready()).toEqual(up));
  });

  test('is not ready if another server has the address of Temporal', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const api = await running().another('api', { TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
    const response = await fetch(`${api.url}/health/ready`);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { details: { database: 'ok', temporal: 'unavailable' } } },
    ]);
  });

  test('that receives SIGTERM is immediately not ready and still serves for DRAIN_SECONDS', async () => {
    const api = await running().another('api', { DRAIN_SECONDS: '6' });
    const gone = api.kill('SIGTERM');
    await eventually(async () => {
      const response = await fetch(`${api.url}/health/ready`);
      expect([response.status, await response.json()]).toMatchObject([
        503,
        {
          error: {
            message: 'This process is stopping.',
            details: { draining: true, database: 'ok', temporal: 'ok' },
          },
        },
      ]);
    });
    expect((await fetch(`${api.url}/config`)).status).toBe(200);
    expect(await gone).toBe(0);
  });
});

const Exported = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes: z.array(z.object({ key: z.string(), value: z.unknown() })),
            }),
          ),
        }),
      ),
    }),
  ),
});
type Span = z.infer<typeof Exported>['resourceSpans'][number]['scopeSpans'][number]['spans'][number];

/** A collector of traces. */
async function collector(): Promise<{ url: string; spans: Span[]; raw: () => string }> {
  const spans: Span[] = [];
  let raw = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks).toString();
        raw += body;
        if (request.url === '/v1/traces')
          spans.push(
            ...Exported.parse(JSON.parse(body)).resourceSpans.flatMap((one) =>
              one.scopeSpans.flatMap((scope) => scope.spans),
            ),
          );
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    spans,
    raw: () => raw,
  };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;

describe('traces', () => {
  test('one trace leads from a request through Temporal to the mail server, and another from a send', async () => {
    const traces = await collector();
    const cluster = await openCluster({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
    });
    const project = await insertProject(cluster.ctx);
    await cluster.ctx.prisma.contact.create({
      data: { id: newId(), projectId: project.id, email: 'traced@x.test', subscribed: true },
    });
    const created = await call(cluster, project, 'POST', '/campaigns', {
      name: 'n',
      subject: 's',
      body: '<p>b</p>',
      from: `us@${project.domain}`,
      audienceType: 'ALL',
    });
    const { data } = z.object({ data: z.object({ id: z.string() }) }).parse(await created.json());
    expect((await call(cluster, project, 'POST', `/campaigns/${data.id}/send`, {}, { traceparent })).status).toBe(200);

    const named = (name: string): Span[] =>
      traces.spans.filter((span) => span.traceId === TRACE && span.name.startsWith(name));
    await eventually(() => {
      for (const name of [
        'POST /campaigns/:id/send',
        'StartWorkflow:campaignSend',
        'RunWorkflow:campaignSend',
        'RunActivity:sendCampaignBatch',
        'SMTP send',
      ])
        expect(
          named(name).length,
          `${name} of ${[...new Set(traces.spans.map((span) => span.name))].join(', ')}`,
        ).toBeGreaterThan(0);
    });
    expect(named('POST /campaigns/:id/send')[0]?.parentSpanId).toBe('b7ad6b7169203331');
    // Each span is a child of the previous one.
    const parents = new Map(traces.spans.map((span) => [span.spanId, span.parentSpanId]));
    const above: string[] = [];
    for (let id: string | undefined = named('SMTP send')[0]?.spanId; id; id = parents.get(id))
      above.push(traces.spans.find((span) => span.spanId === id)?.name ?? id);
    expect(above).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^RunActivity:sendCampaignBatch/),
        expect.stringMatching(/^RunWorkflow:/),
        'POST /campaigns/:id/send',
        'b7ad6b7169203331',
      ]),
    );

    const sent = TRACE.replace('0af7', '1111');
    expect(
      (
        await call(cluster, project, 'POST', '/v1/send', mail(project, 'direct@x.test'), {
          traceparent: `00-${sent}-b7ad6b7169203331-01`,
        })
      ).status,
    ).toBe(200);
    await eventually(() =>
      expect(
        traces.spans
          .filter((span) => span.traceId === sent)
          .map((span) => span.name)
          .sort(),
      ).toEqual(['POST /v1/send', 'SMTP send']),
    );

    const made = async (path: string, body: unknown, headers?: Record<string, string>) =>
      z
        .object({ id: z.string(), steps: z.array(z.object({ id: z.string() })).default([]) })
        .parse(await (await call(cluster, project, 'POST', path, body, headers)).json());
    const template = await made('/templates', {
      name: 't',
      subject: 's',
      body: '<p>b</p>',
      from: `us@${project.domain}`,
    });
    const workflow = await made('/workflows', { name: 'w', eventName: 'go' });
    const step = await made(`/workflows/${workflow.id}/steps`, { type: 'SEND_EMAIL', templateId: template.id });
    expect(
      (
        await call(cluster, project, 'POST', `/workflows/${workflow.id}/transitions`, {
          fromStepId: workflow.steps[0]?.id,
          toStepId: step.id,
        })
      ).status,
    ).toBe(201);
    expect((await call(cluster, project, 'PATCH', `/workflows/${workflow.id}`, { enabled: true })).status).toBe(200);
    const contact = await made('/contacts', { email: 'flow@x.test' });
    const flow = TRACE.replace('0af7', '2222');
    await made(
      `/workflows/${workflow.id}/executions`,
      { contactId: contact.id },
      { traceparent: `00-${flow}-b7ad6b7169203331-01` },
    );
    const event = TRACE.replace('0af7', '3333');
    expect(
      (
        await call(
          cluster,
          project,
          'POST',
          '/events/track',
          { email: 'event@x.test', event: 'go' },
          { traceparent: `00-${event}-b7ad6b7169203331-01` },
        )
      ).status,
    ).toBe(201);
    for (const [trace, route] of [
      [flow, 'POST /workflows/:id/executions'],
      [event, 'POST /events/track'],
    ]) {
      await eventually(() => {
        const of = traces.spans.filter((span) => span.traceId === trace);
        const up = (span: Span | undefined): string[] =>
          span ? [span.name, ...up(of.find(({ spanId }) => spanId === span.parentSpanId))] : [];
        expect(up(of.find(({ name }) => name === 'SMTP send'))).toEqual(
          expect.arrayContaining([expect.stringMatching(/^RunActivity:/), 'RunWorkflow:workflowExecution', route]),
        );
      });
    }
    expect(traces.raw()).not.toMatch(/traced@x|direct@x|flow@x|event@x|sk_[0-9a-f]{8}/);
  });
});
