/** Tests only: real servers on loopback that count their connections. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { EgressFailure, type FailureKind } from './failure';
import type { Lookup } from './guarded-agent';
import { Egress, type EgressPolicy, type EgressRequest } from './send';

export interface Receiver {
  port: number;
  url: string;
  connections: number;
  open: Set<Socket>;
}

export const LOCAL: EgressPolicy = { allowHttp: true, allowLoopback: true };

const running: (() => unknown)[] = [];

/** Ends everything that was started here. */
export async function closeReceivers(): Promise<void> {
  for (const close of running.splice(0)) await close();
}

export function egressWith(policy = LOCAL): Egress {
  const egress = new Egress(policy);
  running.unshift(() => egress.close());
  return egress;
}

export async function failureKind(sent: Promise<unknown>): Promise<FailureKind> {
  const outcome = await sent.catch((error: unknown) => error);
  if (outcome instanceof EgressFailure) return outcome.kind;
  throw new Error(`expected a failure, got ${JSON.stringify(outcome)}`);
}

export async function listen(server: Server, host = '127.0.0.1', port = 0): Promise<Receiver> {
  const receiver: Receiver = { port: 0, url: '', connections: 0, open: new Set() };
  server.on('connection', (socket: Socket) => {
    receiver.connections += 1;
    receiver.open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => receiver.open.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  running.push(() => {
    server.close();
    for (const socket of receiver.open) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  receiver.port = address.port;
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`;
  return receiver;
}

export function httpReceiver(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host?: string,
  port?: number,
): Promise<Receiver> {
  return listen(createServer(answer), host, port);
}

export function rawReceiver(answer: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer((socket) => void socket.once('data', () => answer(socket))));
}

export function post(url: string, changes: Partial<EgressRequest> = {}): EgressRequest {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
    timeoutMs: 5_000,
    maxResponseBytes: 1_024,
    ...changes,
  };
}

export interface Names {
  lookup: Lookup;
  requested: string[];
}

/** Per name: addresses for the first lookup, the second, and so on; the last entry repeats. */
export function namesOf(answers: Record<string, readonly (readonly string[])[]>): Names {
  const requested: string[] = [];
  const lookup: Lookup = async (hostname) => {
    const turn = requested.filter((one) => one === hostname).length;
    requested.push(hostname);
    const known = answers[hostname] ?? [];
    return known[Math.min(turn, known.length - 1)] ?? [];
  };
  return { lookup, requested };
}

/** Tests only: the parser or the policy must refuse each. */
// prettier-ignore
export const INTERNAL_HOSTS = [
  '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '2130706433.',
  '0x7f000001', '0X7F000001', '0x7f.1', '0x7f.0x0.0x0.0x1', '0177.0.0.1', '0177.1', '017700000001',
  '00000177.0.0.1', '127.0.0.0x1', '１２７.０.０.１', '127。0。0。1', '①②⑦.0.0.1', '%31%32%37.0.0.1', '0',
  '0.0.0.0', '0x0', '00', '10.0.0.1', '10.1', '0xa.1', '012.0.0.1', '167772161', '172.16.0.1',
  '172.31.255.255', '192.168.0.1', '192.168.257', '3232235521', '0xc0a80001', '100.64.0.1',
  '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '168.63.129.16',
  '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1',
  '255.255.255.255', '4294967295', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]', '[::127.0.0.1]',
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2002:a00:1::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001:db8::1]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]',
  '[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]', '[fec0::1]', '[ff02::1]', '[100::1]', '[5f00::1]',
];
