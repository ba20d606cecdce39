import {
  context,
  type Context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { log } from './log';
import type { OpenSpan, SpanAttributes, SpanStart, Tracing } from './tracing';
import { VERSION } from './version';

/** An unavailable collector must not delay the exit. */
const STOP_WITHIN_MS = 2_000;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** The OpenTelemetry packages read the standard OTEL_* variables. */
export class OtelTracing implements Tracing {
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  constructor(app: string, exporter: SpanExporter = new OTLPTraceExporter()) {
    diag.setLogger(
      {
        error: (message) => log.warn({ tracing: message }, 'traces not sent'),
        warn: (message) => log.warn({ tracing: message }, 'tracing'),
        info: () => undefined,
        debug: () => undefined,
        verbose: () => undefined,
      },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our values.
    const resource = defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': app,
          'service.namespace': 'offizin',
          'service.version': VERSION,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] }));
    this.provider = new NodeTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.provider.register();
    this.tracer = this.provider.getTracer('offizin', VERSION);
  }

  begin({ name, kind, attributes, parent }: SpanStart): OpenSpan {
    const within = parent === undefined ? context.active() : remote(parent);
    return new OtelSpan(this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, within), within);
  }

  run<T>(span: OpenSpan | null, work: () => T): T {
    return context.with(span instanceof OtelSpan ? span.inside : ROOT_CONTEXT, work);
  }

  current(): OpenSpan | null {
    const span = context.active().getValue(OWN);
    return span instanceof OtelSpan ? span : null;
  }

  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_WITHIN_MS)));
    await Promise.race([this.provider.shutdown(), overdue]).finally(() => clearTimeout(timer));
  }
}

const OWN = Symbol.for('offizin.span');

class OtelSpan implements OpenSpan {
  readonly traceId: string;
  readonly isSampled: boolean;
  readonly traceparent: string;
  readonly inside: Context;

  constructor(
    private readonly span: Span,
    within: Context,
  ) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    this.inside = trace.setSpan(within, span).setValue(OWN, this);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  fail(reason: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
  }

  end(): void {
    this.span.end();
  }
}

function remote(traceparent: string | null): Context {
  return traceparent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
}
