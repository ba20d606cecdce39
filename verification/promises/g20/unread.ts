import { gatewayOperations } from '@offizin/contracts/operations';
import { call } from '@offizin/testkit/load/calls';
import { type Bench, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';
import {
  CAN_SEE_HELD,
  HostileConnections,
  untilAllUntaken,
  untilNothingUntaken,
} from './hostile-connections';

const CLOSED_MS_AT_MOST = 30_000;

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: hostile\r\n${headers}\r\n`;

interface Way {
  name: string;
  /** Read before the answers that are not. */
  readFirst?: string;
  /** Sent when the server's system holds answers. */
  last?: (path: string) => string;
  isEnded?: boolean;
}
/** How the connection ends up. */
const WAYS: readonly Way[] = [
  { name: 'refused pipelines', last: (path) => get(path).repeat(1_200) },
  { name: 'idle' },
  { name: 'closing', last: (path) => get(path, 'Connection: close\r\n') },
  { name: 'ended by the caller', isEnded: true },
  { name: 'after a small one that is read', readFirst: get('/no') },
];

interface Door {
  name: string;
  url: string;
  path: string;
  /** Requests whose answers are more than the system of a caller takes that does not read. */
  requests: string;
  connections: number;
  /** One request per connection. */
  isSingle?: boolean;
}

/**
 * Answers that no client takes and that only the kernel holds. Not at connector-edge: without a key its answers have at most
 * 400 bytes, and the caller's system takes all that the limit of pipelines allows. Its connections are those of the gateway.
 */
export async function unread({ stack }: Trial, { pick }: Bench): Promise<Verdict[]> {
  const { gateway, orderCore } = stack.urls;
  const management = `http://127.0.0.1:${stack.ports.management.gateway}`;
  const connections = pick(60, 20);
  const yaml = '/openapi/external-api.yaml';
  const doors: readonly Door[] = [
    { name: 'gateway', url: gateway, path: yaml, requests: get(yaml).repeat(4), connections },
    {
      name: 'order-core',
      url: orderCore,
      path: '/nothing',
      requests: get('/nothing').repeat(1_600),
      connections: pick(20, 5),
    },
    {
      name: 'management',
      url: management,
      path: '/metrics',
      requests: get('/metrics'),
      connections: pick(20, 5),
      isSingle: true,
    },
  ];
  await growMetrics(gateway);
  const verdicts: Verdict[] = [];
  for (const door of doors) {
    const ways = WAYS.filter(({ readFirst }) => !door.isSingle || readFirst === undefined);
    const tried = ways.map((way, index) => tryWay(door, way, `127.0.0.${70 + index}`));
    verdicts.push(...(await Promise.all(tried)));
  }
  return verdicts;
}

async function tryWay({ name, url, path, ...door }: Door, way: Way, address: string): Promise<Verdict> {
  const row = {
    fault: `connections that hold unread answers, ${way.name}: ${name}`,
    trials: `${door.connections} connections that do not read`,
    bar: `held for each, ≤ ${seconds(CLOSED_MS_AT_MOST)}`,
  };
  if (!CAN_SEE_HELD) return { ...row, figure: 'skipped: no /proc here', result: 'skipped' };
  const attackers = new HostileConnections(url, address);
  await attackers.openUnread(door.connections, way.readFirst);
  attackers.send(door.requests);
  const sinceMs = await untilAllUntaken(address, url, door.connections);
  attackers.send(way.last?.(path) ?? '', way.isEnded);
  const { heldMs, most } = await untilNothingUntaken(address, url, sinceMs);
  attackers.end();
  const held = Number.isFinite(heldMs) ? `held for ${seconds(heldMs)}` : 'stay';
  return verdict(most === door.connections && heldMs <= CLOSED_MS_AT_MOST, {
    ...row,
    figure: most === 0 ? 'no bytes were held' : `bytes of ${most} connections ${held}`,
  });
}

/** A call of each operation, so that the process counts all of them, as after some days of work. */
async function growMetrics(gateway: string): Promise<void> {
  for (const { method, path } of gatewayOperations)
    await call(`${gateway}${path.replace(/\{\w+\}/g, 'x')}`, { method });
}
