/**
 * For libraries that send requests themselves by Node's `http`: an agent whose connections are guarded as those of
 * `Egress` are. Each connection serves one request and ends by a deadline and by a limit of received bytes.
 */
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { EgressFailure, EgressRefused } from './failure';
import { type GuardedAgentOptions, guardedConnector, type Open } from './guarded-agent';
import { checkTargetUrl, type TargetPolicy } from './target-url';

export interface SocketLimits {
  /** From the connect to the last byte of the answer. */
  timeoutMs: number;
  maxResponseBytes: number;
}

type Connected = (error: Error | null, socket: Socket) => void;

export class GuardedSockets {
  private readonly open: Open;
  private readonly plain: HttpAgent;
  private readonly secure: HttpsAgent;

  constructor(
    private readonly policy: TargetPolicy & GuardedAgentOptions,
    private readonly limits: SocketLimits,
  ) {
    this.open = guardedConnector({ connectTimeoutMs: limits.timeoutMs, ...policy });
    const agents = { keepAlive: false, maxTotalSockets: 64 };
    this.plain = new HttpAgent(agents);
    this.secure = new HttpsAgent(agents);
    for (const [agent, protocol] of [
      [this.plain, 'http:'],
      [this.secure, 'https:'],
    ] as const) {
      agent.createConnection = (options: ClientRequestArgs, connected?: unknown) => {
        this.connect(protocol, options, connected as Connected);
        return undefined;
      };
    }
  }

  /** The agent for a request to this address. Throws EgressRefused. */
  agentFor(url: URL): HttpAgent {
    const check = checkTargetUrl(url.href, this.policy);
    if (!check.ok) throw new EgressRefused(check.reason);
    return url.protocol === 'https:' ? this.secure : this.plain;
  }

  private connect(protocol: string, { host, port }: ClientRequestArgs, connected: Connected): void {
    const hostname = (host ?? '').replace(/^\[|\]$/g, '');
    const refuse = connected as (error: unknown) => void;
    this.open({ hostname, protocol, port: String(port ?? '') }).then(
      (socket) => connected(null, limited(socket, this.limits)),
      refuse,
    );
  }
}

function limited(socket: Socket, { timeoutMs, maxResponseBytes }: SocketLimits): Socket {
  let received = 0;
  const timer = setTimeout(() => {
    socket.destroy(new EgressFailure('timeout', `No complete answer within ${timeoutMs} ms.`));
  }, timeoutMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxResponseBytes) return;
    socket.destroy(new EgressFailure('protocol', `The answer has more than ${maxResponseBytes} bytes.`));
  });
  return socket;
}
