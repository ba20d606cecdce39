/**
 * Each kind of I/O opens its span in one place; no library is patched. Attributes hold no URL queries,
 * statement parameters or bodies.
 */
export interface SpanStart {
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: SpanAttributes;
  /** Null for a new trace; undefined for the current span. */
  parent?: string | null;
}
export type SpanAttributes = Record<string, string | number>;

export interface OpenSpan {
  readonly traceId: string;
  readonly isSampled: boolean;
  readonly traceparent: string;
  set: (attributes: SpanAttributes) => void;
  /** `reason` is a name or a code, never a message, which may hold data. */
  fail: (reason: string) => void;
  end: () => void;
}

export interface Tracing {
  begin: (start: SpanStart) => OpenSpan;
  /** Includes everything the work awaits; null: outside any span. */
  run: <T>(span: OpenSpan | null, work: () => T) => T;
  current: () => OpenSpan | null;
  stop: () => Promise<void>;
}

let tracing: Tracing | null = null;

export function installTracing(installed: Tracing | null): void {
  tracing = installed;
}

export function isTracingWanted(environment: NodeJS.ProcessEnv): boolean {
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return Boolean(endpoint) && environment['OTEL_SDK_DISABLED'] !== 'true';
}

export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}

/** Null with tracing disabled. The caller must end the span. */
export function beginSpan(start: SpanStart): OpenSpan | null {
  return tracing === null ? null : tracing.begin(start);
}

export function runIn<T>(span: OpenSpan | null, work: () => T): T {
  return tracing === null || span === null ? work() : tracing.run(span, work);
}

/** For loops that outlive the call that woke them. */
export function outsideTraces<T>(work: () => T): T {
  return tracing === null ? work() : tracing.run(null, work);
}

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

/** In a child of the current span; without one in background work or an unsampled trace. */
export function tracedPart<T>(
  start: Omit<SpanStart, 'parent'>,
  work: (span: OpenSpan | null) => Promise<T>,
): Promise<T> {
  return tracing?.current()?.isSampled === true ? traced(start, work) : work(null);
}

/** Even if unsampled, so that the next process does not sample it either. */
export function currentTraceparent(): string | null {
  return tracing?.current()?.traceparent ?? null;
}

/** To continue later; null when the current span is not sampled. */
export function storedTraceparent(): string | null {
  const span = tracing?.current();
  return span?.isSampled === true ? span.traceparent : null;
}

export function traceFields(span: OpenSpan | null | undefined = tracing?.current()): { trace_id?: string } {
  return span ? { trace_id: span.traceId } : {};
}

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

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
