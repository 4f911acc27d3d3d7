/**
 * Traces of a request through the database and Temporal to the mail server.
 *
 * This file uses only OpenTelemetry's API, which does almost nothing until `startTelemetry` installs the SDK.
 */
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
} from '@opentelemetry/api';

/** Delegates to the SDK from the moment that it is installed. */
const tracer = trace.getTracer('sendloom');

/** The current span as a W3C `traceparent`, to store with work that continues later; null if there is no span. */
export function currentTrace(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The current span if its trace is sampled; null otherwise, which saves the cost of storing it. */
export const sampledTrace = (): string | null =>
  ((trace.getActiveSpan()?.spanContext().traceFlags ?? 0) & TraceFlags.SAMPLED) === 0 ? null : currentTrace();

/** The stored span; without one, the current span. */
const parentOf = (traceparent: string | null | undefined): Context =>
  traceparent ? propagation.extract(context.active(), { traceparent }) : context.active();

/** Runs `work` as a part of a stored trace. */
export const within = <T>(traceparent: string | null | undefined, work: () => T): T =>
  traceparent ? context.with(parentOf(traceparent), work) : work();

/** An email that is handed over to the mail server. Its span has ids and kinds, never addresses or content. */
export interface TracedEmail {
  id: string;
  projectId: string;
  source: string;
  /** The number of this attempt, from 1. */
  attempt: number;
}

/**
 * Opens the span of an email's handover, below `traceparent`. Without it, the span begins a trace: the current span can belong to
 * another email, for which the SMTP client had been woken.
 *
 * @returns a function that ends the span
 */
export function openSendSpan(
  { id, projectId, source, attempt }: TracedEmail,
  traceparent: string | null,
): (outcome: 'ok' | 'error') => void {
  const attributes = {
    'sendloom.email_id': id,
    'sendloom.project_id': projectId,
    'sendloom.source': source,
    'sendloom.attempt': attempt,
  };
  const parent = traceparent ? parentOf(traceparent) : ROOT_CONTEXT;
  const span = tracer.startSpan('SMTP send', { kind: SpanKind.CLIENT, attributes }, parent);
  return (outcome) => {
    if (outcome === 'error') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
}

/** A request's span, from its headers to its response. */
export interface RequestSpan {
  /** Runs `work` in the span. */
  run: (work: () => void) => void;
  end: (route: string, status: number, attributes: Attributes) => void;
}

export function requestSpan(method: string, headers: Record<string, string | string[] | undefined>): RequestSpan {
  const parent = propagation.extract(context.active(), headers);
  const span = tracer.startSpan(
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
