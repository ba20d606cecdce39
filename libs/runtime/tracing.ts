/**
 * Traces, as the parts of a process see them. Each kind of I/O has one place that opens its span (edge-server, bus,
 * serve-operation, database, outbox-relay, event-stream, attempt), so what goes into a span is written there, and
 * nothing is patched. Where tracing is off (no OTEL_EXPORTER_OTLP_ENDPOINT) a call here is one comparison with null, and no
 * package of OpenTelemetry's SDK is loaded; otel-tracing.ts is the other case.
 *
 * Attributes are names, ids and statuses: no addresses with their query, no parameters of statements, no bodies.
 */
export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: SpanAttributes;
  /** The traceparent of whoever caused it; null for nobody. Left out: what is under way here. */
  parent?: string | null;
}
export type SpanAttributes = Record<string, string | number>;

/** A step that was begun. */
export interface OpenSpan {
  readonly traceId: string;
  /** What is recorded and exported; the others only carry their trace on. */
  readonly isSampled: boolean;
  /** W3C Trace Context, to hand on to whoever does the next step. */
  readonly traceparent: string;
  set: (attributes: SpanAttributes) => void;
  /** `reason` is a name or a code, never a message: that may hold data. */
  fail: (reason: string) => void;
  end: () => void;
}

export interface Tracing {
  begin: (start: SpanStart) => OpenSpan;
  /** Runs the work, and all that it awaits, as part of the span; null for none. */
  run: <T>(span: OpenSpan | null, work: () => T) => T;
  current: () => OpenSpan | null;
  /** Sends what was not sent yet. */
  stop: () => Promise<void>;
}

let tracing: Tracing | null = null;

export function installTracing(installed: Tracing | null): void {
  tracing = installed;
}

/** The settings are OpenTelemetry's own. */
export function isTracingWanted(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return Boolean(endpoint) && environment['OTEL_SDK_DISABLED'] !== 'true';
}

export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}

/** Null where tracing is off. Whoever begins a span ends it. */
export function beginSpan(start: SpanStart): OpenSpan | null {
  return tracing === null ? null : tracing.begin(start);
}

export function runIn<T>(span: OpenSpan | null, work: () => T): T {
  return tracing === null || span === null ? work() : tracing.run(span, work);
}

/** For loops that outlive the call which woke them: what they do is no part of that call's trace. */
export function outsideTraces<T>(work: () => T): T {
  return tracing === null ? work() : tracing.run(null, work);
}

/** A step of its own around the work. */
export function traced<T>(start: SpanStart, work: (span: OpenSpan | null) => Promise<T>): Promise<T> {
  return tracing === null ? work(null) : recorded(tracing, start, work);
}

async function recorded<T>(
  on: Tracing,
  start: SpanStart,
  work: (span: OpenSpan | null) => Promise<T>,
): Promise<T> {
  const span = on.begin(start);
  try {
    return await on.run(span, () => work(span));
  } catch (error) {
    span.fail(reasonOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** A step of what is under way; where nothing is (background work), or nobody records it, only the work is done. */
export function tracedPart<T>(
  start: Omit<SpanStart, 'parent'>,
  work: (span: OpenSpan | null) => Promise<T>,
): Promise<T> {
  return tracing?.current()?.isSampled === true ? traced(start, work) : work(null);
}

/** Of the step under way, also when it is not recorded, so that the next process does not record it, either. */
export function currentTraceparent(): string | null {
  return tracing?.current()?.traceparent ?? null;
}

/** What is stored, to go on with later: null where nothing is recorded. */
export function storedTraceparent(): string | null {
  const span = tracing?.current();
  return span?.isSampled === true ? span.traceparent : null;
}

/** For log lines: nothing where tracing is off. */
export function traceFields(span: OpenSpan | null | undefined = tracing?.current()): { trace_id?: string } {
  return span ? { trace_id: span.traceId } : {};
}

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A traceparent that came from outside, if it is one. */
export function traceparentOf(given: string | string[] | undefined): string | null {
  return typeof given === 'string' && FORM.test(given) ? given : null;
}

export function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent === null ? undefined : FORM.exec(traceparent)?.[1];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'thrown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
