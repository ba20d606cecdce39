import { type BrokerReport, probeBroker } from '@offizin/events/broker-probe';
import { eventConsumers } from '@offizin/events/unknown-events';
import { type Finding, ok, problem, warning } from './finding';
import type { Installation } from './installation';

/** A consumer that is this many messages behind does not keep up; as the alert ConsumerLag. */
const MANY_WAITING = 2_000;
/** As the alert EventStreamFills. */
const FULL_SHARE = 0.75;
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
            'Enough for development. In production run nats-server 2.14 or newer with sync_interval: always.',
          ),
        ]
      : []),
    streamFinding(report),
    ...consumers.map(consumerFinding),
    ...(report.events ? missingOf(consumers) : []).map((name) =>
      warning(
        `consumer ${name}`,
        'there is none: what is in the stream of events is kept for it',
        `Start ${name}, which makes it.`,
      ),
    ),
  ];
}

type Consumers = BrokerReport['consumers'];

function consumerFinding({ name, waiting, unacknowledged }: Consumers[number]): Finding {
  const found = `${waiting} messages of events wait, ${unacknowledged} are under way`;
  if (waiting <= MANY_WAITING) return ok(`consumer ${name}`, found);
  return warning(
    `consumer ${name}`,
    found,
    `Look at the log of ${name}; add a replica if it works at its limit.`,
  );
}

function missingOf(consumers: Consumers): string[] {
  return eventConsumers.filter((consumer) => !consumers.some(({ name }) => name === consumer));
}

function streamFinding({ events, consumers }: BrokerReport): Finding {
  if (!events) {
    const advice = 'Start order-core, which makes it; events wait in the outboxes meanwhile.';
    return warning('stream of events', 'there is none', advice);
  }
  const limit = events.maxBytes > 0 ? ` of ${Math.round(events.maxBytes / 1024)}` : '';
  const room = `${Math.round(events.bytes / 1024)}${limit} KiB`;
  const size = `${events.messages} messages of events, ${room}, ${events.replicas} replicas`;
  if (!events.keepsOld) {
    const advice =
      'Delete the stream EVENTS: it is made again with the right settings and filled from the outboxes.';
    return problem('stream of events', 'it drops old events when it is full', advice);
  }
  if (events.maxBytes > 0 && events.bytes > events.maxBytes * FULL_SHARE) {
    const found = `${size}: more than ${FULL_SHARE * 100} %`;
    return warning('stream of events', found, adviceForFull(consumers));
  }
  return ok('stream of events', size);
}

/** From half full on, what every consumer has taken is removed: one has not, or the removal fails. */
function adviceForFull(consumers: Consumers): string {
  const [missing] = missingOf(consumers);
  if (missing !== undefined) return `Start ${missing}: without its consumer nothing is removed.`;
  const [last] = [...consumers].sort((a, b) => lackOf(b) - lackOf(a));
  if (last && lackOf(last) > 0)
    return `Look why ${last.name} takes no events: ${lackOf(last)} messages are kept for it.`;
  return 'Every consumer has taken all: look for "trim the event stream" in the log of order-core, and at its rights.';
}

function lackOf({ waiting, unacknowledged }: Consumers[number]): number {
  return waiting + unacknowledged;
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
  if (/certificate|tls/i.test(reason)) return 'See "certificate of the broker".';
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
