import { createServer, type Server, type ServerResponse } from 'node:http';
import { ConnectionDeadlines } from './connection-deadlines';
import { register } from './metrics';

const CHECK_TIMEOUT_MS = 2_000;

/** Also in every manifest of deploy/; tools/deploy compares them. */
export const MANAGEMENT_PATHS = { alive: '/healthz', ready: '/readyz', metrics: '/metrics' } as const;

/** Rejects with the reason when the component cannot work. */
export type ReadinessCheck = () => Promise<void>;

/** Resolves with a problem for the operator, or null. */
export type Notice = () => Promise<string | null>;

/**
 * The internal port of every process. Notices do not change the status of /readyz: their causes affect all replicas,
 * and the orchestrator would stop every one (decision 0032).
 */
export class Management {
  private server: Server | null = null;
  private readonly checks = new Map<string, ReadinessCheck>();
  private readonly notices = new Map<string, Notice>();
  private draining = false;
  private started = false;

  addCheck(name: string, check: ReadinessCheck): this {
    this.checks.set(name, check);
    return this;
  }

  addNotice(name: string, notice: Notice): this {
    this.notices.set(name, notice);
    return this;
  }

  setStarted(): void {
    this.started = true;
  }

  setDraining(): void {
    this.draining = true;
  }

  async listen(port: number, address: string): Promise<void> {
    const server = createServer((request, response) => void this.answer(request.url ?? '', response));
    new ConnectionDeadlines(server);
    // Probes and scrapes come alone: a pipeline of scrapes would keep the process busy. Node.js announces this limit as
    // the end of the connection, but leaves it open.
    server.maxRequestsPerSocket = 1;
    server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(null)));
  }

  private async answer(url: string, response: ServerResponse): Promise<void> {
    if (url === MANAGEMENT_PATHS.alive) return send(response, 200, { status: 'ok' });
    if (url === MANAGEMENT_PATHS.ready) {
      const [problems, degraded] = await Promise.all([this.problems(), this.degradation()]);
      const isReady = Object.keys(problems).length === 0;
      const isDegraded = Object.keys(degraded).length > 0;
      return send(response, isReady ? 200 : 503, { problems, ...(isDegraded && { degraded }) });
    }
    if (url === MANAGEMENT_PATHS.metrics) {
      response.writeHead(200, { 'content-type': register.contentType });
      response.end(await register.metrics());
      return;
    }
    send(response, 404, { error: 'not_found' });
  }

  private async problems(): Promise<Record<string, string>> {
    const problems: Record<string, string> = {};
    if (!this.started) problems['process'] = 'starting';
    if (this.draining) problems['process'] = 'draining';
    await Promise.all(
      [...this.checks].map(async ([name, check]) => {
        try {
          await withTimeout(check());
        } catch (error) {
          problems[name] = error instanceof Error ? error.message : String(error);
        }
      }),
    );
    return problems;
  }

  /** A failing notice is left out: the check of the database or of the bus reports the cause. */
  private async degradation(): Promise<Record<string, string>> {
    const degraded: Record<string, string> = {};
    await Promise.all(
      [...this.notices].map(async ([name, notice]) => {
        const found = await withTimeout(notice()).catch(() => null);
        if (found !== null) degraded[name] = found;
      }),
    );
    return degraded;
  }
}

async function withTimeout<T>(check: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
  });
  return Promise.race([check, deadline]).finally(() => clearTimeout(timer));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
