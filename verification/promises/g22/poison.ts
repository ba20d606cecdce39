import { MANAGEMENT_PATHS } from '@offizin/runtime/management';
import { eventually } from '@offizin/testkit/eventually';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type Malformed, malformedBytes, malformedEvents, Poisoner } from '../faults/poisoner';
import { type Bench, type Guarantee, verdict, type Verdict } from '../guarantee';
import type { RecordingReceiver } from '../recording-receiver';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';

const ARRIVES_WITHIN_MS = 10_000;
/** Longer than the promise, so that a broken one shows as a long wait. */
const GIVEN_UP_AFTER_MS = 20_000;
/** Three kinds that no relay can publish, in the outbox of three services. */
const OUTBOX_ROWS = 9;

export const poison: Guarantee = {
  id: 'G22',
  promise: 'One message, record or row stops nobody else',
  isShort: true,
  run: async (bench) => {
    const trial = await bench.open();
    const poisoner = await Poisoner.connect(trial);
    bench.atEnd(() => poisoner.close());
    const organization = await trial.platform.organization();
    const receiver = await trial.subscribe('other', undefined, organization);
    // Now, because its key cannot be read after some of the attacks.
    await trial.subscribe('attacker');
    const poisoned: PoisonTrial = { trial, poisoner, bench, other: { organization, receiver } };
    const pids = pidsOf(trial);
    const verdicts: Verdict[] = [];
    for (const attack of attacksOf(poisoned)) verdicts.push(await tryAttack(poisoned, attack));
    verdicts.push(await judgeStored(poisoned), await judgeHealth(poisoned));
    const ended = [...pids].filter(([name, pid]) => trial.stack.apps[name].pid !== pid).map(([name]) => name);
    verdicts.push(
      verdict(ended.length === 0, {
        fault: 'processes meanwhile',
        trials: `${pids.size} processes`,
        figure: ended.length === 0 ? 'none ended' : `ended: ${ended.join(', ')}`,
        bar: 'none ends',
      }),
    );
    return verdicts;
  },
};

interface PoisonTrial {
  trial: Trial;
  poisoner: Poisoner;
  bench: Bench;
  /** The tenant that must not notice. */
  other: { organization: TestOrganization; receiver: RecordingReceiver };
}

interface Attack {
  name: string;
  /** Resolves with the number of malformed things. */
  run: () => Promise<number>;
}

function attacksOf({ trial, poisoner }: PoisonTrial): Attack[] {
  const { orgId, apiKey, shops } = trial.organization;
  const bytes = malformedBytes();
  const first = bytes.slice(0, 1);
  const keys = [`key.${apiKey.id}`, `shop.${shops[0].shopId}`, `organization.${orgId}`];
  return [
    { name: 'one NUL on each subject of the stream', run: () => poisoner.events(first) },
    {
      name: 'malformed messages and events on each subject of the stream',
      run: () => poisoner.events([...bytes, ...malformedEvents(orgId)]),
    },
    { name: 'malformed calls and presence', run: () => poisoner.calls(bytes) },
    { name: 'malformed records of the directory', run: () => poisoner.records(bytes.slice(0, 2), keys) },
    { name: 'outbox rows that cannot be published or taken', run: () => poisoner.outboxRows(orgId) },
    { name: 'a subscription that cannot be leased for', run: () => spoilSubscription(trial) },
  ];
}

/** Of the attacker: its rate divides by zero in the claim of all. */
async function spoilSubscription(trial: Trial): Promise<number> {
  const { orgId } = trial.organization;
  await trial.sql('UPDATE webhooks.subscriptions SET rate_per_second = 0 WHERE org_id = $1', orgId);
  await trial.sql(
    `INSERT INTO webhooks.deliveries (id, subscription_id, event_id, org_id, event_type, aggregate_id, queue, sequence)
     SELECT gen_random_uuid(), s.id, gen_random_uuid(), s.org_id, 'order_updated', 'poison',
       webhooks.queue_of(s.id, 'poison'), 1
     FROM webhooks.subscriptions s WHERE s.org_id = $1`,
    orgId,
  );
  return 1;
}

/** After the attack, an order of the other tenant reaches its subscriber, and every consumer takes all messages. */
async function tryAttack({ bench, other, poisoner }: PoisonTrial, attack: Attack): Promise<Verdict> {
  bench.history.note(attack.name);
  const count = await attack.run();
  const startedAt = performance.now();
  const { id } = await other.organization.createOrder();
  const takesMs = async (what: string, isDone: () => boolean | Promise<boolean>): Promise<number> => {
    await eventually(what, isDone, GIVEN_UP_AFTER_MS).catch(() => undefined);
    return performance.now() - startedAt;
  };
  const arrivalMs = await takesMs('the event of the other tenant', () =>
    other.receiver.received.some(({ metadata }) => metadata['order_id'] === id),
  );
  const takenMs = await takesMs('all consumers to go on', async () => (await poisoner.notTaken()) === 0);
  return verdict(Math.max(arrivalMs, takenMs) <= ARRIVES_WITHIN_MS, {
    fault: attack.name,
    trials: `${count} of them`,
    figure: `another tenant's event after ${seconds(arrivalMs)}, all consumers on their way after ${seconds(takenMs)}`,
    bar: `≤ ${seconds(ARRIVES_WITHIN_MS)}`,
  });
}

/** Every malformed message is stored as the bytes that came, by each service that follows its subject. */
async function judgeStored({ trial }: PoisonTrial): Promise<Verdict> {
  const wanted = malformedBytes();
  const missing: string[] = [];
  for (const schema of ['core', 'catalog', 'webhooks'])
    for (const { name, bytes } of wanted)
      if (!(await isStored(trial, schema, bytes))) missing.push(`${name} in ${schema}`);
  // The largest are on their way for a while.
  let outboxRows = 0;
  await eventually(
    'all rows to be stored',
    async () => (outboxRows = await storedOutboxRows(trial)) === OUTBOX_ROWS,
    ARRIVES_WITHIN_MS,
  ).catch(() => undefined);
  return verdict(missing.length === 0 && outboxRows === OUTBOX_ROWS, {
    fault: 'the bytes of malformed messages and rows',
    trials: `${wanted.length} messages in 3 services, ${OUTBOX_ROWS} rows`,
    figure: `${missing.length === 0 ? 'all messages stored' : `missing: ${missing.join(', ')}`}, ${outboxRows} rows stored`,
    bar: 'all',
  });
}

async function storedOutboxRows(trial: Trial): Promise<number> {
  const rows = await trial.sql<{ count: number }>(
    `SELECT count(*)::int AS count FROM core.set_aside WHERE kind = 'outbox'
     UNION ALL SELECT count(*)::int FROM catalog.set_aside WHERE kind = 'outbox'
     UNION ALL SELECT count(*)::int FROM webhooks.set_aside WHERE kind = 'outbox'`,
  );
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Whole, or as parts with newlines between. */
async function isStored(trial: Trial, schema: string, bytes: Malformed['bytes']): Promise<boolean> {
  const rows = await trial.sql<{ content: Buffer }>(
    `SELECT content FROM ${schema}.set_aside WHERE kind = 'message'`,
  );
  const whole = new Set(rows.map(({ content }) => content.toString('latin1')));
  if (whole.has(bytes.toString('latin1'))) return true;
  const lines = bytes.toString('latin1').split('\n');
  const parts = lines.flatMap((_line, place) =>
    place % 2 === 0 ? [lines.slice(place, place + 2).join('\n')] : [],
  );
  return parts.every((part) => whole.has(part));
}

async function judgeHealth({ trial }: PoisonTrial): Promise<Verdict> {
  const problems: string[] = [];
  for (const app of ['order-core', 'catalog', 'webhook-worker'] as const) {
    const { managementUrl } = trial.stack.apps[app];
    const ready = await fetch(`${managementUrl}${MANAGEMENT_PATHS.ready}`);
    const { degraded } = (await ready.json()) as { degraded?: Record<string, string> };
    if (ready.status !== 200) problems.push(`${app} is not ready`);
    if (!degraded?.['set_aside']) problems.push(`${app} does not say that it is degraded`);
    const metrics = await (await fetch(`${managementUrl}${MANAGEMENT_PATHS.metrics}`)).text();
    for (const name of ['offizin_dead_letters_total', 'offizin_outbox_rows_refused_total']) {
      const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(metrics)?.[1];
      if (!(Number(found) > 0)) problems.push(`${app}: ${name} is ${found ?? 'missing'}`);
    }
  }
  return verdict(problems.length === 0, {
    fault: 'health afterwards',
    trials: '3 services',
    figure: problems.length === 0 ? 'ready, degraded with the reason, counted' : problems.join('; '),
    bar: '/readyz is 200 and states why it is degraded; counters rise',
  });
}

function pidsOf(trial: Trial): Map<keyof Trial['stack']['apps'], number | undefined> {
  const names = Object.keys(trial.stack.apps) as (keyof Trial['stack']['apps'])[];
  return new Map(names.map((name) => [name, trial.stack.apps[name].pid]));
}
