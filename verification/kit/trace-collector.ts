import { createServer, type Server } from 'node:http';
import { eventually } from './eventually';
import { closeServer, listenOnLoopback } from './loopback';

/** A received span with plain attributes. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  name: string;
  /** Name of the process. */
  service: string;
  attributes: Record<string, unknown>;
  /** 2 for a failed span. */
  statusCode: number;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        attributes: Attribute[];
        status?: { code?: number };
      }[];
    }[];
  }[];
}

/** An OpenTelemetry collector on loopback: OTLP over HTTP with JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Received bodies, unparsed. */
  readonly bodies: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly endpoint: string,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server, `http://127.0.0.1:${await listenOnLoopback(server)}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isExport = request.method === 'POST' && request.url === '/v1/traces';
        if (isExport) collector.take(Buffer.concat(chunks).toString());
        response.writeHead(isExport ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
      });
    });
    return collector;
  }

  /** Resolves with a trace's spans when all `names` are present and connected: each process exports on its own. */
  async trace(traceId: string, names: readonly string[], deadlineMs = 15_000): Promise<CollectedSpan[]> {
    const ofTrace = (): CollectedSpan[] => this.spans.filter((span) => span.traceId === traceId);
    const missing = (): string[] => names.filter((name) => !ofTrace().some((span) => span.name === name));
    try {
      return await eventually(
        'the spans',
        () => missing().length === 0 && hangTogether(ofTrace()) && ofTrace(),
        deadlineMs,
      );
    } catch (error) {
      const there = ofTrace().map(({ service, name }) => `${service}: ${name}`);
      throw new Error(`no ${missing().join(', ')} among ${there.join(', ')}`, { cause: error });
    }
  }

  close(): Promise<void> {
    return closeServer(this.server);
  }

  private take(body: string): void {
    this.bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
      const service = String(plain(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { traceId, spanId, parentSpanId = '', name, status } = span;
        const attributes = plain(span.attributes);
        const statusCode = status?.code ?? 0;
        this.spans.push({ traceId, spanId, parentSpanId, name, service, attributes, statusCode });
      }
    }
  }
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** True if at most one parent is missing: the caller's own. */
function hangTogether(spans: readonly CollectedSpan[]): boolean {
  const known = new Set(spans.map(({ spanId }) => spanId));
  return new Set(spans.map((span) => span.parentSpanId).filter((id) => !known.has(id))).size <= 1;
}
