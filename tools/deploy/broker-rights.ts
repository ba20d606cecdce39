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
 * code publishes and subscribes on the bus.
 */
interface UserRights {
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
  const given = all.flatMap(rightsInFile);
  const wanted = natsUsers.flatMap((user) => {
    const first = all.find((one) => one.user === user);
    return rightsInCode(user, first?.rights ?? '', callers);
  });
  const unsaid = calls.filter(({ access, subject }) => access === 'internal' && !callers[subject]);
  return [
    ...wanted.filter((right) => !given.includes(right)).map((right) => `missing: ${right}`),
    ...given.filter((right) => !wanted.includes(right)).map((right) => `too much: ${right}`),
    ...unsaid.map(({ subject }) => `who calls ${subject}? Say it in internalSenders`),
  ];
}

const forwarded: readonly Operation[] = [
  ...gatewayOperations,
  ...consoleOperations,
  ...csvOperations.values(),
];

const calls = allOperations.map((op) => ({
  subject: subjectOf(op),
  access: op.access,
  service: op.service,
  isForwarded: forwarded.includes(op),
  /** Over HTTP; that the gateway could send it over the bus, too, opens nothing new. */
  isHttp: forwarded.includes(op) && op.via === 'http',
}));

/** Calls that tell users apart: those that `user` may make, by the file or by the code. */
function callsOf(user: string, may: (call: (typeof calls)[number]) => boolean): string[] {
  return calls
    .filter((call) => call.service !== 'gateway' && !(user === 'gateway' && call.isHttp) && may(call))
    .map(({ subject }) => `${user} calls ${subject}`);
}

function rightsInFile({ user, passwordVariable, rights, ...subjects }: UserRights): string[] {
  const { publish, denied, subscribe } = subjects;
  const signIn = [`${user} has ${passwordVariable}`, `${user} has ${rights || 'all rights'}`];
  // The second user of an app has the same rights, by their name.
  if (user === 'operator' || user.endsWith(SECOND)) return signIn;
  const isCall = (pattern: string): boolean =>
    pattern.startsWith('rpc.') && calls.some(({ subject }) => matches(pattern, subject));
  const any = (patterns: string[], subject: string): boolean =>
    patterns.some((pattern) => matches(pattern, subject));
  return [
    ...signIn,
    ...callsOf(user, ({ subject }) => any(publish, subject) && !any(denied, subject)),
    ...publish
      .concat(denied)
      .filter((subject) => !isCall(subject))
      .map((subject) => `${user} publishes ${subject}`),
    ...subscribe.map((subject) => `${user} subscribes ${subject}`),
  ];
}

/** During a rotation the app signs in as one user or the other: there must be no difference. */
const SECOND = '-2';

function rightsInCode(user: NatsUser, rights: string, callers: typeof internalSenders): string[] {
  const password = natsPasswordVariable(user);
  const named = rights || 'all rights';
  const second = `${user}${SECOND}`;
  const signIn = [
    `${user} has ${password}`,
    `${user} has ${named}`,
    `${second} has ${password}_2`,
    `${second} has ${named}`,
  ];
  if (user === 'operator') return signIn;
  const may = ({ access, subject, isForwarded }: (typeof calls)[number]): boolean =>
    access === 'internal' ? callers[subject]?.includes(user) === true : user === 'gateway' && isForwarded;
  return [
    ...signIn,
    ...callsOf(user, may),
    ...wantedSubjects(user).map((subject) => `${user} publishes ${subject}`),
    ...subscribedSubjects(user).map((subject) => `${user} subscribes ${subject}`),
  ];
}

/** The one service that makes and changes streams and writes the bucket of the directory. */
const STREAM_OWNER: NatsUser = 'order-core';
const BUCKET_STREAM = `KV_${DIRECTORY_BUCKET}`;

/** Subject on which the gateways tell each other who has which order request open. */
const CONSOLE_PRESENCE = 'presence.console';
/** What the gateway receives for the console: every event without a consumer, other changes, the other gateways. */
const LIVE_SUBJECTS = ['events.>', CHANGED_SUBJECT, CONSOLE_PRESENCE];

/**
 * Its answers, its replicas, and the heartbeats of the services that it calls: without them, calls of a killed replica
 * would wait for their timeout. A service also receives the calls to it and the probes for those in flight.
 */
function subscribedSubjects(user: NatsUser): string[] {
  return [
    `_INBOX.${user}.>`,
    ...receiversOf[user].map((receiver) => `presence.${receiver}`),
    ...(isPublisher(user) ? [`rpc.${user}.>`, `in-flight.${user}.*`] : [`presence.${user}`]),
    ...(user === 'gateway' ? LIVE_SUBJECTS : []),
  ];
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

/** Subjects that the durable consumer of each service is made with, as in its main.ts. */
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
function usersIn(configuration: string): UserRights[] {
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
