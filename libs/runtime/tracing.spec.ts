import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-node';
import { OtelTracing } from './otel-tracing';
import {
  beginSpan,
  currentTraceparent,
  installTracing,
  isTracingWanted,
  outsideTraces,
  runIn,
  storedTraceparent,
  traced,
  tracedPart,
  traceFields,
  traceIdOf,
  traceparentOf,
} from './tracing';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const incoming = (flags: '00' | '01') => `00-${TRACE}-b7ad6b7169203331-${flags}`;

describe('an incoming traceparent', () => {
  it('is accepted when well-formed', () => {
    expect(traceparentOf(incoming('01'))).toBe(incoming('01'));
    expect(traceIdOf(incoming('01'))).toBe(TRACE);
  });

  it.each([
    undefined,
    '',
    [incoming('01')],
    `${incoming('01')} `,
    incoming('01').toUpperCase(),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-b7ad6b7169203331-01`,
    `00-${TRACE}-b7ad6b7169203331-01-more`,
  ])('is dropped when it is %p', (text) => {
    expect(traceparentOf(text)).toBeNull();
  });
});

describe('disabled tracing', () => {
  it('only does the work', async () => {
    expect(await traced({ name: 'a', kind: 'server' }, (span) => Promise.resolve(span))).toBeNull();
    expect(await tracedPart({ name: 'a', kind: 'client' }, (span) => Promise.resolve(span))).toBeNull();
    expect(beginSpan({ name: 'a', kind: 'server', parent: incoming('01') })).toBeNull();
    expect(runIn(null, () => currentTraceparent())).toBeNull();
    expect([storedTraceparent(), traceFields()]).toEqual([null, {}]);
  });

  it('is the default without an endpoint, and set by OTEL_SDK_DISABLED', () => {
    expect(isTracingWanted({})).toBe(false);
    expect(isTracingWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBe(false);
    expect(isTracingWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'true' })).toBe(
      false,
    );
    expect(isTracingWanted({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' })).toBe(true);
  });

  it('does not load the SDK', () => {
    // Without its configuration, so that it exits.
    const root = join(__dirname, '../..');
    const script = `
      process.on('exit', () => process.stdout.write(Object.keys(require.cache).join('\\n')));
      require('./dist/apps/gateway/main.js');`;
    const loadedWith = (environment: Record<string, string>): string => {
      const options = {
        cwd: root,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], ...environment },
      } as const;
      try {
        return execFileSync(process.execPath, ['-e', script], { ...options, stdio: 'pipe' });
      } catch (error) {
        return (error as { stdout: string }).stdout;
      }
    };
    const loaded = loadedWith({});
    expect(loaded).toContain('nats');
    expect(loaded).not.toMatch(/@opentelemetry\/(?!api\/)/);
  });
});

describe('enabled tracing', () => {
  let tracing: OtelTracing;

  beforeAll(() => {
    tracing = new OtelTracing('spec', new InMemorySpanExporter());
    installTracing(tracing);
  });
  afterAll(async () => {
    installTracing(null);
    await tracing.stop();
  });

  it('continues the trace of the caller, through every await', async () => {
    await traced({ name: 'a', kind: 'server', parent: incoming('01') }, async (span) => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(span?.traceId).toBe(TRACE);
      expect(traceFields()).toEqual({ trace_id: TRACE });
      expect(storedTraceparent()).toBe(span?.traceparent);
      expect(span?.traceparent).not.toBe(incoming('01'));
      await tracedPart({ name: 'b', kind: 'client' }, async (part) => {
        expect(part?.traceId).toBe(TRACE);
        expect(part?.traceparent).not.toBe(span?.traceparent);
        expect(currentTraceparent()).toBe(part?.traceparent);
      });
      expect(currentTraceparent()).toBe(span?.traceparent);
    });
    expect(currentTraceparent()).toBeNull();
  });

  it('propagates an unsampled trace, and stores nothing of it', async () => {
    await traced({ name: 'a', kind: 'server', parent: incoming('00') }, async () => {
      expect(currentTraceparent()).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
      expect(storedTraceparent()).toBeNull();
      expect(await tracedPart({ name: 'b', kind: 'client' }, (part) => Promise.resolve(part))).toBeNull();
    });
  });

  it('leaves work that outlives its caller out of the trace', async () => {
    await traced({ name: 'a', kind: 'server', parent: incoming('01') }, async () => {
      expect(outsideTraces(() => currentTraceparent())).toBeNull();
      expect(
        await outsideTraces(() => tracedPart({ name: 'b', kind: 'client' }, (part) => Promise.resolve(part))),
      ).toBeNull();
    });
  });

  it('ends the span of failing work, and rethrows', async () => {
    const failing = traced({ name: 'a', kind: 'server', parent: null }, () =>
      Promise.reject(new Error('no')),
    );
    await expect(failing).rejects.toThrow('no');
    expect(currentTraceparent()).toBeNull();
  });
});
