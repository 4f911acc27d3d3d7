/**
 * Traces of what happens to a request on its way, through the database and Temporal, to the mail server.
 *
 * This is OpenTelemetry's API alone: nothing, at next to no cost, until src/operations/telemetry.ts has put its SDK
 * behind it.
 */
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
} from '@opentelemetry/api';

const tracer = () => trace.getTracer('sendloom');

/** The present span as a W3C `traceparent`, to be stored with what goes on later; null without one. */
export function currentTrace(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The same, where it costs something to store: null for a trace that nobody keeps. */
export const sampledTrace = (): string | null =>
  ((trace.getActiveSpan()?.spanContext().traceFlags ?? 0) & TraceFlags.SAMPLED) === 0 ? null : currentTrace();

/** What `currentTrace` has said before; without it, what is under way now. */
const parentOf = (traceparent: string | null | undefined): Context =>
  traceparent ? propagation.extract(context.active(), { traceparent }) : context.active();

/** Does `work` as a part of a trace. */
export const within = <T>(traceparent: string | null | undefined, work: () => T): T =>
  traceparent ? context.with(parentOf(traceparent), work) : work();

/**
 * Measures what is asked of another server as a span, below `traceparent` or what is under way. Attributes are ids and
 * kinds, never addresses or content.
 */
export async function clientSpan<T>(
  name: string,
  attributes: Attributes,
  traceparent: string | null | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const parent = parentOf(traceparent);
  const span = tracer().startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** A request's span, from its headers to its answer. */
export interface RequestSpan {
  /** Does `work` in it. */
  run: (work: () => void) => void;
  end: (route: string, status: number, attributes: Attributes) => void;
}

export function requestSpan(method: string, headers: Record<string, string | string[] | undefined>): RequestSpan {
  const parent = propagation.extract(context.active(), headers);
  const span = tracer().startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
    parent,
  );
  const inside = trace.setSpan(parent, span);
  return {
    run: (work) => context.with(inside, work),
    end(route, status, attributes) {
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status, ...attributes });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
