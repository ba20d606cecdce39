import { CHANGED_SUBJECT } from '@offizin/contracts/console/live';
import { EVENTS_STREAM } from '@offizin/events/event-stream';
import { internalSenders, receiversOf, SENDERS } from '@offizin/contracts/calls/call-rights';
import { type EventTopic, topicsOf, subjectOfEvent } from '@offizin/contracts/webhooks/events';
import { type Operation, subjectOf } from '@offizin/contracts/calls/operation';
import { consoleOperations } from '@offizin/contracts/console/console';
import { csvOperations } from '@offizin/contracts/exports';
import { allOperations, gatewayOperations } from '@offizin/contracts/operations';
import { DIRECTORY_BUCKET } from '@offizin/directory/records';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { type NatsUser, natsUsers } from '@offizin/local-stack/secrets';

/**
 * Compares deploy/nats/permissions.conf, which npm start, the tests, Compose and Kubernetes all use, with what the
 * code says on the bus.
 */
export interface UserRights {
  user: string;
  passwordVariable: string;
  /** Name of the rights, which the second user of an app shares; empty for all rights. */
  rights: string;
  publish: string[];
  denied: string[];
  subscribe: string[];
}

/** Differences between rights and code, as sentences; none when they agree. */
export function rightsDrift(configuration: string, callers = internalSenders): string[] {
  const all = usersIn(configuration);
  const users = all.filter(({ user }) => !user.endsWith(SECOND));
  const names = users.map(({ user }) => user);
  return [
    ...users.flatMap((user) => secondUserDrift(user, all)),
    ...natsUsers.filter((user) => !names.includes(user)).map((user) => `no user ${user}`),
    ...names
      .filter((name) => !natsUsers.some((user) => user === name))
      .map((name) => `user ${name} is nobody`),
    ...users.flatMap((user) => userDrift(user, callers)),
  ];
}

const SECOND = '-2';

/** During a rotation the app signs in as one user or the other: there must be no difference. */
function secondUserDrift({ user, passwordVariable, rights }: UserRights, all: UserRights[]): string[] {
  const second = all.find((one) => one.user === `${user}${SECOND}`);
  if (!second) return [`no second user ${user}${SECOND}`];
  return [
    ...(second.rights === rights ? [] : [`${second.user} has other rights than ${user}`]),
    ...(second.passwordVariable === `${passwordVariable}_2`
      ? []
      : [`${second.user} takes its password from ${second.passwordVariable}`]),
  ];
}

function userDrift(rights: UserRights, callers: typeof internalSenders): string[] {
  const user = natsUsers.find((name) => name === rights.user);
  if (user === undefined) return [];
  const problems: string[] = [];
  if (rights.passwordVariable !== natsPasswordVariable(user))
    problems.push(`takes its password from ${rights.passwordVariable}`);
  if (user !== 'operator') problems.push(...callDrift(rights, user, callers), ...subjectDrift(rights, user));
  return problems.map((problem) => `${user} ${problem}`);
}

const forwarded: readonly Operation[] = [
  ...gatewayOperations,
  ...consoleOperations,
  ...csvOperations.values(),
];

/** Every operation: those that it calls over the bus it may publish, and no other. */
function callDrift(rights: UserRights, user: NatsUser, callers: typeof internalSenders): string[] {
  return allOperations
    .filter(({ service }) => service !== 'gateway')
    .flatMap((op) => {
      const subject = subjectOf(op);
      const internal = callers[subject];
      if (op.access === 'internal' && internal === undefined)
        return [`may call ${subject}, or not? Say in internalSenders who does`];
      const forwards = user === 'gateway' && forwarded.includes(op);
      // Over HTTP; that the gateway could send it over the bus, too, opens nothing new.
      if (forwards && op.via === 'http') return [];
      const calls = op.access === 'internal' ? internal?.includes(user) === true : forwards;
      const may = mayPublish(rights, subject);
      if (calls === may) return [];
      return [calls ? `may not call ${subject}` : `may call ${subject}, and never does`];
    });
}

/** The one service that makes and changes streams and writes the bucket of the directory. */
const STREAM_OWNER: NatsUser = 'order-core';
const BUCKET_STREAM = `KV_${DIRECTORY_BUCKET}`;

/** Subject on which the gateways tell each other who has which order request open. */
const CONSOLE_PRESENCE = 'presence.console';
/** What the gateway hears for the console: every event, without a consumer, other changes, and the other gateways. */
const LIVE_EARS = ['events.>', CHANGED_SUBJECT, CONSOLE_PRESENCE];

/** Every subject that is named must be one that the code uses, and every one that is used must be named. */
function subjectDrift(rights: UserRights, user: NatsUser): string[] {
  const { publish, denied, subscribe } = rights;
  const wanted = wantedSubjects(user);
  const calls = allOperations.map(subjectOf);
  const unknown = [...publish, ...denied].filter(
    (subject) =>
      !wanted.includes(subject) &&
      !(subject.startsWith('rpc.') && calls.some((one) => matches(subject, one))),
  );
  const live = user === 'gateway' ? LIVE_EARS : [];
  const heard = heardOfReplicas(user);
  const own = [`_INBOX.${user}.>`, `presence.${user}`, `rpc.${user}.>`, ...live, ...heard];
  return [
    ...unknown.map((subject) => `may publish ${subject}, which is not its own`),
    ...wanted
      .filter((subject) => !publish.includes(subject))
      .map((subject) => `may not publish ${subject}, which it uses`),
    ...subscribe
      .filter((subject) => !own.includes(subject))
      .map((subject) => `may subscribe ${subject}, not its own`),
    ...(subscribe.includes(`_INBOX.${user}.>`) ? [] : ['may not hear its answers']),
    ...live
      .filter((subject) => !subscribe.includes(subject))
      .map((subject) => `may not hear ${subject}, which the console's live updates need`),
    ...heard
      .filter((subject) => !subscribe.includes(subject))
      .map((subject) => `may not hear ${subject}: calls of a killed replica would wait for their timeout`),
  ];
}

/** The heartbeats of the services that a user calls; of a service also the probes for its calls in flight. */
function heardOfReplicas(user: NatsUser): string[] {
  const asked = isPublisher(user) ? [`in-flight.${user}.*`] : [];
  return [...receiversOf[user].map((receiver) => `presence.${receiver}`), ...asked];
}

/** What a user publishes beside calls, to the letter: a pattern that is wider opens a stream to another writer. */
function wantedSubjects(user: NatsUser): string[] {
  const publisher = isPublisher(user) ? user : null;
  const topics = publisher === null ? [] : topicsOf[publisher];
  const filter = publisher === null ? undefined : followed[publisher];
  const callers = SENDERS.filter((sender) => receiversOf[sender].some((receiver) => receiver === user));
  return [
    '$JS.API.INFO',
    ...topics.map((topic: EventTopic) => subjectOfEvent({ topic }, publisher ?? 'gateway')),
    ...callers.map((sender) => `_INBOX.${sender}.>`),
    `presence.${user}`,
    ...receiversOf[user].map((receiver) => `in-flight.${receiver}.*`),
    ...(filter === undefined ? [] : consumerSubjects(user, filter)),
    ...(user === 'gateway' ? [CONSOLE_PRESENCE] : []),
    ...(user === STREAM_OWNER ? ownerSubjects() : []),
    ...(user === 'webhook-worker' ? [] : directorySubjects()),
  ];
}

function isPublisher(user: NatsUser): user is keyof typeof topicsOf {
  return user in topicsOf;
}

/** Subjects that the durable consumer of each service is made with, as its main.ts says. */
const followed: Record<keyof typeof topicsOf, string> = {
  'order-core': 'audit.>',
  catalog: 'events.stock.>',
  'webhook-worker': 'events.>',
};

function consumerSubjects(user: NatsUser, filter: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${EVENTS_STREAM}`,
    `$JS.API.CONSUMER.INFO.${EVENTS_STREAM}.*`,
    `$JS.API.CONSUMER.CREATE.${EVENTS_STREAM}.${user}.${filter}`,
    `$JS.API.CONSUMER.MSG.NEXT.${EVENTS_STREAM}.${user}`,
    `$JS.ACK.${EVENTS_STREAM}.${user}.>`,
  ];
}

function ownerSubjects(): string[] {
  const streams = [EVENTS_STREAM, BUCKET_STREAM].flatMap((stream) =>
    ['CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
  );
  return [...streams, CHANGED_SUBJECT, `$JS.API.STREAM.PURGE.${EVENTS_STREAM}`, `$KV.${DIRECTORY_BUCKET}.>`];
}

function directorySubjects(): string[] {
  return [
    `$JS.API.STREAM.INFO.${BUCKET_STREAM}`,
    ...['CREATE', 'DELETE', 'INFO'].map((verb) => `$JS.API.CONSUMER.${verb}.${BUCKET_STREAM}.>`),
    `$JS.FC.${BUCKET_STREAM}.>`,
  ];
}

export function mayPublish({ publish, denied }: UserRights, subject: string): boolean {
  const any = (patterns: string[]): boolean => patterns.some((pattern) => matches(pattern, subject));
  return any(publish) && !any(denied);
}

function matches(pattern: string, subject: string): boolean {
  const parts = subject.split('.');
  const wanted = pattern.split('.');
  return (
    wanted.every((part, index) =>
      part === '>' ? parts.length > index : part === '*' ? parts[index] !== undefined : parts[index] === part,
    ) &&
    (wanted.at(-1) === '>' || wanted.length === parts.length)
  );
}

/** Of the configuration's syntax only what the file uses. */
export function usersIn(configuration: string): UserRights[] {
  const text = configuration.replace(/^\s*#.*$/gm, '');
  const blocks = new Map(
    [...text.matchAll(/^(\w+_RIGHTS) = \{$([^]*?)^\}$/gm)].map(([, name = '', block = '']) => [name, block]),
  );
  const users = text.matchAll(/\{ user: "([^"]+)", password: \$(\w+)(?:, permissions: \$(\w+))? \}/g);
  return [...users].map(([, user = '', passwordVariable = '', rights = '']) => {
    const block = blocks.get(rights) ?? '';
    const list = (pattern: RegExp): string[] =>
      [...(pattern.exec(block)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, subject = '']) => subject);
    return {
      user,
      passwordVariable,
      rights,
      publish: list(/publish = (?:\{\s*allow = )?\[([^\]]*)\]/),
      denied: list(/deny = \[([^\]]*)\]/),
      subscribe: list(/subscribe = \[([^\]]*)\]/),
    };
  });
}
