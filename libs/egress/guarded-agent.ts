/**
 * Each connection resolves its name once and is pinned to the checked addresses, so a later DNS answer (DNS rebinding)
 * has no effect. One forbidden address refuses all. undici's `connect.lookup` is not called for address literals; hence
 * this connector.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { connect as tcpConnect, isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Agent, type buildConnector } from 'undici';
import { type AddressPolicy, checkTargetUrl, isAllowedAddress, type TargetPolicy } from './address-policy';
import { codeSuffix, EgressFailure, EgressRefused, failureOf } from './failure';

export type Lookup = (hostname: string) => Promise<readonly string[]>;

export interface GuardedAgentOptions extends AddressPolicy {
  connectTimeoutMs?: number;
  /** Must exceed the caller's limit per origin, or its requests wait for a connection. */
  maxConnectionsPerOrigin?: number;
  /** The connection is then renewed, so that a busy receiver's new address is found. */
  maxRequestsPerConnection?: number;
  /** PEM; replaces the system's authorities, for receivers with a private CA. */
  certificateAuthorities?: string;
  /** Default: the system's resolver, on libuv's thread pool. */
  lookup?: Lookup;
}

const MAX_RESPONSE_HEADER_BYTES = 16 * 1024;
/** Shorter than the keep-alive of a Node.js server. A server's keep-alive hint overrides it. */
const IDLE_CONNECTION_MS = 4_000;
const MAX_IDLE_CONNECTION_MS = 60_000;
/** Node's default is too short for distant receivers with several addresses. */
const ATTEMPT_PER_ADDRESS_MS = 1_000;

export function guardedAgent(options: GuardedAgentOptions): Agent {
  const open = guardedConnector(options);
  return new Agent({
    connect: (target, callback) => {
      open(target).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(failureOf(error, false, 0), null),
      );
    },
    connections: options.maxConnectionsPerOrigin ?? 256,
    // Not clientTtl: undici would read the clock once per open connection for each request.
    maxRequestsPerClient: options.maxRequestsPerConnection ?? 1_000,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: MAX_IDLE_CONNECTION_MS,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    // Off: they restart with every byte, so a slow server never reaches them. `Exchange` has one total deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

export type Open = (target: buildConnector.Options) => Promise<Socket>;

function guardedConnector(options: GuardedAgentOptions): Open {
  const connectTimeoutMs = options.connectTimeoutMs ?? 5_000;
  const resolve = sharedLookup(options.lookup ?? systemLookup);

  return async (target) => {
    const deadline = new Deadline(connectTimeoutMs);
    try {
      const addresses = await checkedAddresses(target.hostname, resolve, options, deadline);
      const socket = await connectTo(target, addresses, options, deadline);
      // Defence in depth: the peer is always a checked address unless the code above is wrong.
      if (!isAllowedAddress(socket.remoteAddress ?? '', options)) {
        socket.destroy();
        throw new EgressRefused(NOT_PUBLIC);
      }
      return socket;
    } finally {
      deadline.clear();
    }
  };
}

const NOT_PUBLIC = 'The host is, or resolves to, an address that is not public.';

/** Throws EgressRefused when any address is forbidden, EgressFailure `dns` when the host has no address. */
async function checkedAddresses(
  hostname: string,
  resolve: Lookup,
  policy: AddressPolicy,
  deadline: Deadline,
): Promise<readonly string[]> {
  let addresses: readonly string[] = [hostname];
  if (isIP(hostname) === 0) {
    try {
      addresses = await deadline.orFail(resolve(hostname));
    } catch (error) {
      throw new EgressFailure('dns', `The host name could not be resolved${codeSuffix(error)}.`, 0, {
        cause: error,
      });
    }
  }
  if (addresses.length === 0) throw new EgressFailure('dns', 'The host name has no address.');
  if (!addresses.every((address) => isAllowedAddress(address, policy))) throw new EgressRefused(NOT_PUBLIC);
  return addresses;
}

/** `addresses` must have been checked. For https the handshake is complete. */
function connectTo(
  target: buildConnector.Options,
  addresses: readonly string[],
  options: GuardedAgentOptions,
  deadline: Deadline,
): Promise<Socket> {
  const secure = target.protocol === 'https:';
  const where = {
    host: target.hostname,
    port: Number(target.port || (secure ? 443 : 80)),
    keepAlive: true,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_PER_ADDRESS_MS,
    // Pins the socket. With autoSelectFamily Node expects a list. Not called for address literals.
    lookup: (_name: string, _options: object, callback: ListCallback) => {
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    },
  };
  return new Promise((resolve, reject) => {
    let connected = false;
    const socket = secure
      ? tlsConnect({
          ...where,
          servername: serverName(target.hostname),
          ALPNProtocols: ['http/1.1'],
          ca: options.certificateAuthorities,
        })
      : tcpConnect(where);
    deadline.onPassed((error) => socket.destroy(error));
    socket.once('connect', () => (connected = true));
    const onClose = (): void => reject(connectFailure(undefined, secure && connected));
    socket.once('close', onClose);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      // Otherwise each close would build a useless error with its stack.
      socket.off('close', onClose);
      resolve(socket);
    });
    // Never removed: an error before undici adds its own listener must not become an uncaught exception.
    socket.on('error', (error: Error) => reject(connectFailure(error, secure && connected)));
  });
}

type ListCallback = (error: null, addresses: { address: string; family: number }[]) => void;

/** SNI carries names only; for an address literal Node verifies the certificate against the address. */
function serverName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname : '';
}

function connectFailure(error: Error | undefined, inHandshake: boolean): EgressFailure {
  const kind = inHandshake ? 'tls' : 'connect';
  const what = inHandshake ? 'No secure connection could be made' : 'No connection could be made';
  return new EgressFailure(kind, `${what}${codeSuffix(error)}.`, 0, { cause: error });
}

async function systemLookup(hostname: string): Promise<readonly string[]> {
  const answers = await dnsLookup(hostname, { all: true });
  return answers.map((answer) => answer.address);
}

/**
 * Concurrent connections to one host share a lookup, so a hanging name server blocks one resolver thread. Answers are
 * not cached.
 */
function sharedLookup(lookup: Lookup): Lookup {
  const running = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const present = running.get(hostname);
    if (present !== undefined) return present;
    const started = lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, started);
    return started;
  };
}

class Deadline {
  private readonly timer: NodeJS.Timeout;
  private passed: Error | undefined;
  private listener: (error: Error) => void = () => undefined;

  constructor(timeoutMs: number) {
    this.timer = setTimeout(() => {
      this.passed = Object.assign(new Error(`not done within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
      this.listener(this.passed);
    }, timeoutMs);
  }

  onPassed(listener: (error: Error) => void): void {
    this.listener = listener;
    if (this.passed !== undefined) listener(this.passed);
  }

  orFail<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.onPassed(reject);
      work.then(resolve, reject);
    });
  }

  clear(): void {
    clearTimeout(this.timer);
  }
}

/**
 * For libraries that send requests themselves by Node's `http`: an agent whose connections are guarded as those of
 * `Egress` are. Each connection serves one request and ends by a deadline and by a limit of received bytes.
 */

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
