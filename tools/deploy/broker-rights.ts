import { EVENTS_STREAM } from '@offizin/bus/event-stream';
import { subjectOf } from '@offizin/contracts/operation';
import { gatewayOperations, operations } from '@offizin/contracts/operations';
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
  publish: string[];
  denied: string[];
  subscribe: string[];
}

/** Who sends which internal operation over the bus; the operator may all. One that is missing here is a finding. */
export const internalCallers: Record<string, readonly NatsUser[]> = {
  'rpc.order-core.directory.create-organization': [],
  'rpc.order-core.directory.create-shop': [],
  'rpc.order-core.directory.create-key': [],
  'rpc.order-core.directory.keys-used': ['gateway', 'connector-edge'],
  'rpc.order-core.order-requests.settle-attempt': ['catalog'],
  'rpc.order-core.events.unknown': ['catalog', 'webhook-worker'],
  'rpc.catalog.catalog.import': [],
  'rpc.catalog.reservations.reserve': ['order-core'],
  'rpc.catalog.reservations.release': ['order-core'],
  'rpc.catalog.events.unknown': ['order-core', 'catalog'],
  'rpc.webhook-worker.events.unknown': ['order-core', 'catalog'],
};

/** Differences between rights and code, as sentences; none when they agree. */
export function rightsDrift(configuration: string, callers = internalCallers): string[] {
  const users = usersIn(configuration);
  const names = users.map(({ user }) => user);
  return [
    ...natsUsers.filter((user) => !names.includes(user)).map((user) => `no user ${user}`),
    ...names
      .filter((name) => !natsUsers.some((user) => user === name))
      .map((name) => `user ${name} is nobody`),
    ...users.flatMap((user) => userDrift(user, callers)),
  ];
}

function userDrift(rights: UserRights, callers: typeof internalCallers): string[] {
  const user = natsUsers.find((name) => name === rights.user);
  if (user === undefined) return [];
  const problems: string[] = [];
  if (rights.passwordVariable !== natsPasswordVariable(user))
    problems.push(`takes its password from ${rights.passwordVariable}`);
  if (user !== 'operator') problems.push(...callDrift(rights, user, callers), ...subjectDrift(rights, user));
  return problems.map((problem) => `${user} ${problem}`);
}

/** Every operation: those that it calls over the bus it may publish, and no other. */
function callDrift(rights: UserRights, user: NatsUser, callers: typeof internalCallers): string[] {
  return operations
    .filter(({ service }) => service !== 'gateway')
    .flatMap((op) => {
      const subject = subjectOf(op);
      const internal = callers[subject];
      if (op.access === 'internal' && internal === undefined)
        return [`may call ${subject}, or not? Say in internalCallers who does`];
      const forwards = user === 'gateway' && gatewayOperations.includes(op);
      // Over HTTP; that the gateway could send it over the bus, too, opens nothing new.
      if (forwards && op.via === 'http') return [];
      const calls = op.access === 'internal' ? internal?.includes(user) === true : forwards;
      const may = mayPublish(rights, subject);
      if (calls === may) return [];
      return [calls ? `may not call ${subject}` : `may call ${subject}, and never does`];
    });
}

/** Every subject that is named must be one that the code uses. */
function subjectDrift(rights: UserRights, user: NatsUser): string[] {
  const { publish, denied, subscribe } = rights;
  const answers = subscribe.includes(`rpc.${user}.>`);
  const used = [
    ...operations.map(subjectOf),
    `events.x.${user}`,
    `audit.${user}`,
    `presence.${user}`,
    `$KV.${DIRECTORY_BUCKET}.x`,
    ...(answers ? ['_INBOX.x'] : []),
  ];
  const streams = [EVENTS_STREAM, `KV_${DIRECTORY_BUCKET}`];
  const ofJetStream =
    /^\$JS\.(?:API\.(?:INFO$|STREAM\.(?:INFO|CREATE|UPDATE|PURGE)\.|CONSUMER\.(?:INFO|CREATE|DELETE|MSG\.NEXT)\.)|ACK\.|FC\.)([A-Za-z_]+)?/;
  const unknown = [...publish, ...denied].filter((subject) => {
    const stream = ofJetStream.exec(subject);
    if (stream) return stream[1] !== undefined && !streams.includes(stream[1]);
    return !used.some((one) => matches(subject, one));
  });
  const own = [`_INBOX.${user}.>`, `presence.${user}`, `rpc.${user}.>`];
  return [
    ...unknown.map((subject) => `may publish ${subject}, which nothing uses`),
    ...subscribe
      .filter((subject) => !own.includes(subject))
      .map((subject) => `may subscribe ${subject}, not its own`),
    ...(subscribe.includes(`_INBOX.${user}.>`) ? [] : ['may not hear its answers']),
    ...(answers && !mayPublish(rights, '_INBOX.x') ? ['may not answer'] : []),
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
  return text
    .split(/(?=\{\s*user:)/)
    .slice(1)
    .map((part) => {
      const [, user = '', passwordVariable = ''] = /user: "([^"]+)", password: \$(\w+)/.exec(part) ?? [];
      const list = (pattern: RegExp): string[] =>
        [...(pattern.exec(part)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, subject = '']) => subject);
      return {
        user,
        passwordVariable,
        publish: list(/publish = (?:\{\s*allow = )?\[([^\]]*)\]/),
        denied: list(/deny = \[([^\]]*)\]/),
        subscribe: list(/subscribe = \[([^\]]*)\]/),
      };
    });
}
