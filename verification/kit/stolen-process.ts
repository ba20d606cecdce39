import { connectBus } from '@offizin/bus/connection';
import { EVENTS_STREAM } from '@offizin/events/event-stream';
import { unpackFrames } from '@offizin/bus/wire-format';
import type { BusConnection } from '@offizin/bus/key-value';
import { packSigned } from '@offizin/bus/signed-batch';
import { mayAsk, receiversOf, type Sender, SENDERS } from '@offizin/contracts/calls/call-rights';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import { type Operation, type ServiceName, subjectOf } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import type { AppName } from '@offizin/local-stack/apps';
import { type CallKeyPairs, callKeysOf, type NatsUser } from '@offizin/local-stack/secrets';
import { CALLER_TOKEN_HEADER, CallKeys, signCaller } from '@offizin/runtime/call-keys';
import { uniqueTag } from './platform';

/** What an attack needs to know of an installation; the thief also has the login and keys of one process. */
export interface Installation {
  natsUrl: string;
  natsPasswords: Record<NatsUser, string>;
  callKeys: CallKeyPairs;
  orderCoreUrl: string;
}

const BUCKET_STREAM = 'KV_directory';
const WAIT_MS = 5_000;

/**
 * Attacks with the NATS login and keys of one process. Each returns the successful attempts as sentences.
 * `witness` has all rights at the broker. It observes what the thief cannot receive, and sends what the broker
 * would refuse from the thief, so that the services' own checks are tested.
 */
export class StolenProcess {
  private constructor(
    readonly name: AppName,
    private readonly own: BusConnection,
    private readonly witness: BusConnection,
    private readonly keys: CallKeys,
    private readonly installation: Installation,
  ) {}

  static async take(name: AppName, installation: Installation): Promise<StolenProcess> {
    const { natsUrl, natsPasswords, callKeys } = installation;
    const connectAs = (user: Sender): Promise<BusConnection> =>
      connectBus({ natsUrl, natsUser: user, natsPassword: natsPasswords[user], name: user });
    const [own, witness] = await Promise.all([connectAs(name), connectAs('operator')]);
    const keys = CallKeys.of(name, callKeysOf(name, callKeys));
    return new StolenProcess(name, own, witness, keys, installation);
  }

  async close(): Promise<void> {
    await Promise.all([this.own.close(), this.witness.close()]);
  }

  /** Writes into the directory; publishes events and audit records of other services. */
  async writes(): Promise<string[]> {
    const others = ['order-core', 'catalog', 'webhook-worker'].filter((name) => name !== this.name);
    const subjects = [
      ...(this.name === 'order-core' ? [] : [`$KV.directory.stolen-${uniqueTag()}`]),
      ...others.flatMap((name) => [`events.plain.${name}`, `events.stock.${name}`, `audit.${name}`]),
    ];
    const mark = `stolen-${uniqueTag()}`;
    const heard = await this.heardOn(subjects, async () => {
      for (const subject of subjects) this.own.publish(subject, mark);
      await this.settle();
    });
    return heard.filter(({ text }) => text === mark).map(({ subject }) => `published on ${subject}`);
  }

  /** Makes services answer to subjects that are not reply subjects. */
  async replies(): Promise<string[]> {
    const tag = uniqueTag();
    const targets = ['$KV.directory', '$JS.API.STREAM.PURGE', 'rpc.order-core', 'events.plain', 'audit'].map(
      (begin) => `${begin}.stolen-${tag}`,
    );
    const heard = await this.heardOn(targets, async () => {
      for (const op of this.operationsOf(this.name))
        for (const reply of targets) this.send(op, this.name, this.callerOf(this.name, op), reply);
      await this.settle();
    });
    return heard.map(({ subject }) => `was answered to ${subject}`);
  }

  /** Calls as another process, and calls operations that only another process may call. */
  async forgedCalls(orgId: string): Promise<string[]> {
    const tried: { reply: string; what: string }[] = [];
    const attempts = async (): Promise<void> => {
      for (const sender of SENDERS)
        for (const op of TRIED)
          for (const caller of callersIn(orgId, sender)) {
            if (sender === this.name && mayAsk(sender, op, caller)) continue;
            const reply = `_INBOX.${sender}.stolen${uniqueTag()}.${tried.length}`;
            tried.push({ reply, what: `${op.name} as ${sender}, ${caller.kind}` });
            this.send(op, sender, caller, reply);
          }
      await this.settle();
    };
    const heard = await this.heardOn(['_INBOX.*.*.*'], attempts);
    return tried
      .filter(({ reply }) => heard.some((answer) => answer.subject === reply && statusIn(answer.data) < 400))
      .map(({ what }) => `called ${what}`);
  }

  /** Replays a message of another process to another operation, to another service and for an own reply subject. */
  async replays(captured: { subject: string; data: Uint8Array; reply: string }): Promise<string[]> {
    const others = TRIED.filter((op) => subjectOf(op) !== captured.subject);
    const own = `_INBOX.${this.name}.stolen${uniqueTag()}.1`;
    const heard = await this.heardOn([captured.reply, own], async () => {
      for (const by of [this.own, this.witness]) {
        for (const op of others) by.publish(subjectOf(op), captured.data, { reply: captured.reply });
        by.publish(captured.subject, captured.data, { reply: own });
      }
      await this.settle();
    });
    return heard
      .filter(({ data }) => statusIn(data) < 400)
      .map(({ subject }) => `had a replayed message answered on ${subject}`);
  }

  /** Deletes, purges and changes streams and consumers of others, and reads their data. */
  async brokerCalls(): Promise<string[]> {
    const others = ['order-core', 'catalog', 'webhook-worker'].filter((name) => name !== this.name);
    const requests = [
      ...[EVENTS_STREAM, BUCKET_STREAM].flatMap((stream) => [
        `STREAM.DELETE.${stream}`,
        `STREAM.MSG.DELETE.${stream}`,
        `STREAM.MSG.GET.${stream}`,
        `STREAM.SNAPSHOT.${stream}`,
        `DIRECT.GET.${stream}`,
        `CONSUMER.NAMES.${stream}`,
        `CONSUMER.LIST.${stream}`,
        ...(this.name === 'order-core' ? [] : [`STREAM.UPDATE.${stream}`, `STREAM.PURGE.${stream}`]),
      ]),
      ...(this.name === 'order-core'
        ? [`STREAM.PURGE.${BUCKET_STREAM}`]
        : [`STREAM.CREATE.${EVENTS_STREAM}`]),
      'STREAM.CREATE.STOLEN',
      'STREAM.NAMES',
      ...others.flatMap((name) => [
        `CONSUMER.DELETE.${EVENTS_STREAM}.${name}`,
        `CONSUMER.MSG.NEXT.${EVENTS_STREAM}.${name}`,
        `CONSUMER.DURABLE.CREATE.${EVENTS_STREAM}.${name}`,
        `CONSUMER.CREATE.${EVENTS_STREAM}.${name}.events.>`,
      ]),
      `CONSUMER.CREATE.${EVENTS_STREAM}.stolen.>`,
    ];
    const inbox = `_INBOX.${this.name}.stolen${uniqueTag()}`;
    const heard = await this.heardOn([`${inbox}.*`], async () => {
      // An invalid body: it destroys nothing if the permission is missing.
      requests.forEach((request, index) =>
        this.own.publish(`$JS.API.${request}`, '{}', { reply: `${inbox}.${index}` }),
      );
      await this.settle();
    });
    return heard.map(
      ({ subject }) => `was answered by the broker: ${requests[Number(subject.slice(inbox.length + 1))]}`,
    );
  }

  /** Makes the broker answer onto a directory record. The broker cannot refuse it; see decision 0031. */
  brokerAnswersOnto(key: string): void {
    for (const request of ['INFO', `STREAM.INFO.${BUCKET_STREAM}`, `STREAM.INFO.${EVENTS_STREAM}`])
      this.own.publish(`$JS.API.${request}`, '', { reply: `$KV.directory.${key}` });
  }

  /** HTTP requests to order-core, which identifies senders only by key. */
  async forgedRequests(orgId: string): Promise<string[]> {
    const path = `/api/v2/public/orgs/${orgId}/order-requests`;
    const succeeded: string[] = [];
    for (const sender of SENDERS)
      for (const url of [path, '/api/v1/external-order'])
        for (const caller of callersIn(orgId, sender)) {
          const op = operations.find((one) => one.method === 'POST' && pathFor(one, orgId) === url);
          if (!op || (sender === this.name && mayAsk(sender, op, caller))) continue;
          const status = await this.post(url, sender, caller);
          if (status !== 401 && status !== 403)
            succeeded.push(`${url} as ${sender}, ${caller.kind}: ${status}`);
        }
    return succeeded;
  }

  private async post(url: string, sender: Sender, caller: Caller): Promise<number> {
    const body = '{}';
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    const token = signCaller(this.signingAs(sender, 'order-core'), caller, { method: 'POST', url, headers }, [
      Buffer.from(body),
    ]);
    const { status } = await fetch(`${this.installation.orderCoreUrl}${url}`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(WAIT_MS),
      headers: { ...headers, [CALLER_TOKEN_HEADER]: token },
    });
    return status;
  }

  /** The stolen keys under another process's name; a made-up key replaces a missing one. */
  private signingAs(sender: Sender, receiver: ServiceName): CallKeys {
    const stolen = JSON.parse(callKeysOf(this.name, this.installation.callKeys)) as {
      out: Record<string, string[]>;
    };
    const keys = stolen.out[receiver] ?? ['made up: '.padEnd(40, 'x')];
    return CallKeys.of(sender, JSON.stringify({ out: { [receiver]: keys }, in: {} }));
  }

  /** Sends with the thief's login and with the witness's. */
  private send(op: Operation, sender: Sender, caller: Caller, reply: string): void {
    const subject = subjectOf(op);
    const frame = { head: JSON.stringify({ number: 1, caller, params: {} }), body: '{}' };
    const keys = sender === this.name && receiversOf[this.name].includes(op.service) ? this.keys : null;
    const message = packSigned(
      [frame],
      op.service,
      { subject, reply },
      keys ?? this.signingAs(sender, op.service),
    );
    for (const by of [this.own, this.witness]) by.publish(subject, message, { reply });
  }

  private operationsOf(sender: Sender): Operation[] {
    const answeredByEdges: ServiceName[] = ['gateway', 'connector-edge'];
    return operations.filter(
      (op) =>
        op.via === 'bus' &&
        !answeredByEdges.includes(op.service) &&
        mayAsk(sender, op, this.callerOf(sender, op)),
    );
  }

  private callerOf(sender: Sender, op: Operation): Caller {
    const named = serviceCaller(sender, `stolen-${uniqueTag()}`);
    if (op.access === 'internal') return named;
    return { ...named, kind: op.access === 'connector' ? 'integration' : 'key', scopes: [] };
  }

  /** Resolves when all earlier messages are handled: services handle messages in order. */
  private async settle(): Promise<void> {
    await Promise.all([this.own.flush(), this.witness.flush()]);
    const services: ServiceName[] = ['order-core', 'catalog', 'webhook-worker'];
    await Promise.all(
      services.map(async (service) => {
        const op = operations.find((one) => one.service === service && one.name.startsWith('events.unknown'));
        if (op) await this.witness.request(subjectOf(op), '', { timeout: WAIT_MS });
      }),
    );
    await this.witness.flush();
  }

  private async heardOn(
    subjects: readonly string[],
    work: () => Promise<void>,
  ): Promise<{ subject: string; text: string; data: Uint8Array }[]> {
    const heard: { subject: string; text: string; data: Uint8Array }[] = [];
    const listening = subjects.map((subject) =>
      this.witness.subscribe(subject, {
        callback: (_error, { subject: on, data }) =>
          heard.push({ subject: on, text: Buffer.from(data).toString(), data }),
      }),
    );
    await this.witness.flush();
    await work();
    for (const subscription of listening) subscription.unsubscribe();
    return heard;
  }
}

/** All internal operations, and the first operation of each service; the others share its checks. */
const TRIED = operations.filter(
  (op, index) =>
    op.via === 'bus' &&
    op.service !== 'gateway' &&
    (op.access === 'internal' ||
      index === operations.findIndex((one) => one.service === op.service && one.via === 'bus')),
);

function pathFor(op: Operation, orgId: string): string {
  return op.path.replace(/\{org\w*\}/i, orgId);
}

/** Callers that an attacker would impersonate at the victim. */
function callersIn(orgId: string, sender: Sender): Caller[] {
  const named = { orgId, shopId: null, requestId: `stolen-${uniqueTag()}`, scopes: [...ALL_SCOPES] };
  return [
    { ...named, kind: 'key', actorId: 'stolen' },
    { ...named, kind: 'integration', actorId: 'stolen' },
    { ...named, kind: 'platform', orgId: '', actorId: 'operator' },
    { ...named, kind: 'service', orgId: '', actorId: sender },
  ];
}

/** The answer's status; 599 if the message is not an answer of a service. */
function statusIn(data: Uint8Array): number {
  try {
    const { status } = JSON.parse(unpackFrames(data)[0]?.head ?? '{}') as { status?: number };
    return status ?? 599;
  } catch {
    return 599;
  }
}
