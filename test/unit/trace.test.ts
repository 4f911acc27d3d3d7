import { context, trace, TraceFlags } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSendSpan } from '../../src/trace.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => provider.register());
afterAll(() => provider.shutdown());

const [TRACE, OTHER] = ['0af7651916cd43dd8448eb211c80319c', '1af7651916cd43dd8448eb211c80319c'];

it('an email belongs to its own trace, or to a new one, whatever the SMTP client was woken for', () => {
  const other = { traceId: OTHER, spanId: 'b7ad6b7169203331', traceFlags: TraceFlags.SAMPLED };
  context.with(trace.setSpanContext(context.active(), other), () => {
    for (const traceparent of [`00-${TRACE}-b7ad6b7169203332-01`, null])
      openSendSpan({ id: 'e', projectId: 'p', source: 'CAMPAIGN', attempt: 1 }, traceparent)('ok');
  });
  const [own, fresh] = exporter.getFinishedSpans();
  expect([own?.spanContext().traceId, own?.parentSpanId]).toEqual([TRACE, 'b7ad6b7169203332']);
  expect(fresh?.parentSpanId).toBe(undefined);
  expect(fresh?.spanContext().traceId).not.toBe(OTHER);
});
