/**
 * OpenTelemetry's SDK and its Temporal plugin. Loaded only with OTEL_EXPORTER_OTLP_ENDPOINT. The SDK itself reads the
 * other OTEL_* variables.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';

export interface Telemetry {
  /** For Temporal's clients, workers, and bundles. */
  plugin: OpenTelemetryPlugin;
  /** Exports the ended spans. */
  stop: () => Promise<void>;
}

/** Starts to export spans as JSON over HTTP. @param service the default of OTEL_SERVICE_NAME */
export function startTelemetry(service: string): Telemetry {
  const resource = new Resource({ 'service.name': service }).merge(
    detectResourcesSync({ detectors: [envDetectorSync] }),
  );
  const spanProcessor = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] });
  // Also installs the context manager and the W3C propagation.
  provider.register();
  return { plugin: new OpenTelemetryPlugin({ resource, spanProcessor }), stop: () => provider.shutdown() };
}
