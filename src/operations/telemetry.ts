/**
 * OpenTelemetry's SDK and Temporal's part of it. Loaded only with OTEL_EXPORTER_OTLP_ENDPOINT; the SDK reads the other
 * OTEL_* variables itself.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';

export interface Telemetry {
  /** For Temporal's clients, workers and bundles. */
  plugin: OpenTelemetryPlugin;
  /** Hands over what has ended. */
  stop: () => Promise<void>;
}

/** Has spans exported from here on, over HTTP with JSON. @param service the default of OTEL_SERVICE_NAME */
export function startTelemetry(service: string): Telemetry {
  const resource = new Resource({ 'service.name': service }).merge(
    detectResourcesSync({ detectors: [envDetectorSync] }),
  );
  const spanProcessor = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] });
  // Sets the context manager and W3C's propagation too.
  provider.register();
  return { plugin: new OpenTelemetryPlugin({ resource, spanProcessor }), stop: () => provider.shutdown() };
}
