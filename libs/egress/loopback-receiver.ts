/** Tests only: real servers on loopback that count their connections. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, isIPv6, type Server, type Socket } from 'node:net';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import * as ipaddr from 'ipaddr.js';
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

export interface LoopbackDns {
  lookup: Lookup;
  requested: string[];
}

const HEADER_BYTES = 12;
const RESPONSE_FLAGS = 0x8580; // answer, authority, recursion wanted and offered
const TYPE_AAAA = 28;

/** Per name: addresses for the first lookup, the second, and so on; the last entry repeats. */
export async function startDns(
  answers: Record<string, readonly (readonly string[])[]>,
): Promise<LoopbackDns> {
  const requested: string[] = [];
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const kind = type === TYPE_AAAA ? 'AAAA' : 'A';
    const turn = requested.filter((one) => one === `${kind} ${name}`).length;
    requested.push(`${kind} ${name}`);
    const known = answers[name] ?? [];
    const answer = known[Math.min(turn, known.length - 1)] ?? [];
    server.send(response(query.subarray(0, end), recordsOf(answer, type)), from.port, from.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  running.push(() => server.close());
  return { lookup: lookupAt(server), requested };
}

function lookupAt(server: UdpSocket): Lookup {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return async (hostname) => {
    const families = await Promise.all([
      resolver.resolve4(hostname).catch((): string[] => []),
      resolver.resolve6(hostname).catch((): string[] => []),
    ]);
    return families.flat();
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf(addresses: readonly string[], type: number): Buffer[] {
  const ofType = addresses.filter((address) => isIPv6(address) === (type === TYPE_AAAA));
  return ofType.map((address) => record(type, Buffer.from(ipaddr.parse(address).toByteArray())));
}

function record(type: number, data: Buffer): Buffer {
  const start = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([start, data]);
}

function response(question: Buffer, records: Buffer[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(RESPONSE_FLAGS, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8); // no authority or additional records
  return Buffer.concat([head, ...records]);
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
