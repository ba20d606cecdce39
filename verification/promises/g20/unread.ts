import { type Bench, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';
import { HostileConnections, untilNothingUntaken } from './hostile-connections';

const CLOSED_MS_AT_MOST = 30_000;

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: hostile\r\n${headers}\r\n`;

/** How the connection ends up, what it sends for so many answers, and whether the caller then ends its side. */
const WAYS: readonly [name: string, bytes: (path: string, answers: number) => string, isEnded: boolean][] = [
  ['refused pipelines', (path) => get(path).repeat(1_200), false],
  ['idle', (path, answers) => get(path).repeat(answers), false],
  ['closing', (path, answers) => get(path).repeat(answers) + get(path, 'Connection: close\r\n'), false],
  ['ended by the caller', (path, answers) => get(path).repeat(answers), true],
];
const ONE_BY_ONE = 'each asked for after the one before';
/** Each asks 50 times a second. */
const ASKING = 10;

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
    const attack = async (
      way: string,
      trials: number,
      address: string,
      send: (attackers: HostileConnections) => Promise<void>,
    ): Promise<Verdict> => {
      const attackers = new HostileConnections(url, address);
      await send(attackers);
      const heldMs = await untilNothingUntaken(address, url);
      attackers.end();
      return verdict(heldMs <= CLOSED_MS_AT_MOST, {
        fault: `connections that hold unread answers, ${way}: ${door}`,
        trials: `${trials} connections that never read`,
        figure: Number.isFinite(heldMs) ? `bytes were held for ${seconds(heldMs)}` : 'stay',
        bar: `≤ ${seconds(CLOSED_MS_AT_MOST)}`,
      });
    };
    const running = WAYS.map(([way, bytes, isEnded], index) =>
      attack(way, count, `127.0.0.${70 + index}`, (attackers) =>
        attackers.sendUnread(count, bytes(path, answers), isEnded),
      ),
    );
    const asking = attack(ONE_BY_ONE, ASKING, '127.0.0.69', (attackers) =>
      attackers.askUnread(ASKING, get('/nothing')),
    );
    verdicts.push(...(await Promise.all([...running, asking])));
  }
  return verdicts;
}
