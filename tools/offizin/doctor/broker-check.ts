import { type BrokerReport, probeBroker } from '@offizin/bus/broker-probe';
import { type Finding, ok, problem, warning } from './finding';
import type { Installation } from './installation';

/** A consumer that is this many events behind does not keep up. */
const MANY_WAITING = 10_000;
const FULL_SHARE = 0.8;
/** 2.9.10 to 2.10.26 acknowledge before data is on the disk and carry CVE-2025-30215. */
const SAFE_VERSION = [2, 10, 27] as const;

/** The broker stores and gives back, has the stream of events with the right settings, and is followed. */
export async function checkBroker(broker: NonNullable<Installation['broker']>): Promise<Finding[]> {
  try {
    return findingsOf(await probeBroker(broker));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem('broker', `${broker.natsUrl}: ${reason}`, adviceFor(reason))];
  }
}

function findingsOf(report: BrokerReport): Finding[] {
  const { version, servers, storedAndReadBackMs, consumers } = report;
  const cluster = servers > 1 ? `, ${servers} servers` : '';
  return [
    ok(
      'broker',
      `nats-server ${version}${cluster}, stored and read back in ${storedAndReadBackMs.toFixed(0)} ms`,
    ),
    ...(isOld(version)
      ? [
          warning(
            'broker version',
            `${version} acknowledges before data is on the disk and carries CVE-2025-30215`,
            'Enough for development. In production run nats-server 2.12 or newer with sync_interval: always.',
          ),
        ]
      : []),
    streamFinding(report),
    ...consumers.map(({ name, waiting, unacknowledged }) =>
      waiting > MANY_WAITING
        ? warning(
            `consumer ${name}`,
            `${waiting} messages of events wait, ${unacknowledged} are under way`,
            `Look at the log of ${name}; add a replica if it works at its limit.`,
          )
        : ok(`consumer ${name}`, `${waiting} messages of events wait, ${unacknowledged} are under way`),
    ),
  ];
}

function streamFinding({ events }: BrokerReport): Finding {
  if (!events) {
    const advice = 'Start order-core, which makes it; events wait in the outboxes meanwhile.';
    return warning('stream of events', 'there is none', advice);
  }
  const size = `${events.messages} messages of events, ${Math.round(events.bytes / 1024)} KiB, ${events.replicas} replicas`;
  if (!events.keepsOld) {
    const advice =
      'Delete the stream EVENTS: it is made again with the right settings and filled from the outboxes.';
    return problem('stream of events', 'it drops old events when it is full', advice);
  }
  if (events.maxBytes > 0 && events.bytes > events.maxBytes * FULL_SHARE) {
    const advice = 'Find the consumer that does not follow, or raise max_bytes of the stream EVENTS.';
    return warning(
      'stream of events',
      `${size}: more than ${FULL_SHARE * 100} % of what it may hold`,
      advice,
    );
  }
  return ok('stream of events', size);
}

function isOld(version: string): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, safe] of SAFE_VERSION.entries()) {
    const part = parts[index] ?? 0;
    if (part !== safe) return part < safe;
  }
  return false;
}

function adviceFor(reason: string): string {
  if (/authorization/i.test(reason))
    return 'Check NATS_USER and NATS_PASSWORD against the users of the broker.';
  if (/permissions/i.test(reason)) return 'Use the user "operator" of deploy/nats/permissions.conf.';
  if (/503|jetstream/i.test(reason)) return 'Start nats-server with JetStream (jetstream { store_dir … }).';
  if (/insufficient|no space|resource|storage|maximum bytes/i.test(reason))
    return 'The disk of the broker is full: free some space. Nothing is lost, events wait in the outboxes.';
  if (/timeout/i.test(reason))
    return 'The broker does not answer or cannot write: look at its log and its disk.';
  return 'Start nats-server, or check NATS_URL and the network between here and there.';
}
