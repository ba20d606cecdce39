import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import * as ipaddr from 'ipaddr.js';
import type { Lookup } from './guarded-agent';

export interface LoopbackDns {
  lookup: Lookup;
  asked: string[];
  close: () => void;
}

const HEADER_BYTES = 12;
const RESPONSE_FLAGS = 0x8580; // answer, authority, recursion wanted and offered
const TYPE_AAAA = 28;

/** Per name: addresses for the first lookup, the second, and so on; the last entry repeats. */
export async function startDns(
  answers: Record<string, readonly (readonly string[])[]>,
): Promise<LoopbackDns> {
  const asked: string[] = [];
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const kind = type === TYPE_AAAA ? 'AAAA' : 'A';
    const turn = asked.filter((one) => one === `${kind} ${name}`).length;
    asked.push(`${kind} ${name}`);
    const known = answers[name] ?? [];
    const answer = known[Math.min(turn, known.length - 1)] ?? [];
    server.send(response(query.subarray(0, end), recordsOf(answer, type)), from.port, from.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { lookup: lookupAt(server), asked, close: () => void server.close() };
}

function lookupAt(server: Socket): Lookup {
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
