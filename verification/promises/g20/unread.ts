import { type Bench, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';
import { HostileConnections, untilNothingUntaken } from './hostile-connections';

const CLOSED_MS_AT_MOST = 30_000;

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: hostile\r\n${headers}\r\n`;

type Way = [
  name: string,
  bytes: (path: string, answers: number) => string,
  options?: { readFirst?: string; isEnded?: boolean },
];
/** How the connection ends up, what it sends for so many answers, and how (HostileConnections.sendUnread). */
const WAYS: readonly Way[] = [
  ['refused pipelines', (path) => get(path).repeat(1_200)],
  ['idle', (path, answers) => get(path).repeat(answers)],
  ['closing', (path, answers) => get(path).repeat(answers) + get(path, 'Connection: close\r\n')],
  ['ended by the caller', (path, answers) => get(path).repeat(answers), { isEnded: true }],
  ['after a small one that is read', (path, answers) => get(path).repeat(answers), { readFirst: get('/no') }],
];

/** At every port, answers that no client takes and that only the kernel holds. */
export async function unread({ stack }: Trial, { pick }: Bench): Promise<Verdict[]> {
  const { gateway, connectorEdge, orderCore } = stack.urls;
  const management = `http://127.0.0.1:${stack.ports.management['order-core']}`;
  const doors: [door: string, url: string, path: string, answers: number][] = [
    ['gateway', gateway, '/openapi/external-api.yaml', 4],
    ['connector-edge', connectorEdge, '/nothing', 150],
    ['order-core', orderCore, '/nothing', 800],
    ['management', management, '/metrics', 4],
  ];
  const count = pick(60, 20);
  const verdicts: Verdict[] = [];
  for (const [door, url, path, answers] of doors) {
    const running = WAYS.map(async ([way, bytes, options], index) => {
      const address = `127.0.0.${70 + index}`;
      const attackers = new HostileConnections(url, address);
      await attackers.sendUnread(count, bytes(path, answers), options);
      const heldMs = await untilNothingUntaken(address, url);
      attackers.end();
      return verdict(heldMs <= CLOSED_MS_AT_MOST, {
        fault: `connections that hold unread answers, ${way}: ${door}`,
        trials: `${count} connections that do not read`,
        figure: Number.isFinite(heldMs) ? `bytes were held for ${seconds(heldMs)}` : 'stay',
        bar: `≤ ${seconds(CLOSED_MS_AT_MOST)}`,
      });
    });
    verdicts.push(...(await Promise.all(running)));
  }
  return verdicts;
}
