import {
  callKeysOf,
  type DatabaseService,
  databaseServices,
  natsUsers,
  type NatsUser,
  newLogin,
  newProofKey,
  newSigningKey,
  pairsOf,
  rotated,
  rotatedNatsPasswords,
  type RotationStep,
} from '@offizin/local-stack/secrets';
import { databaseRoles, secondLogin } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { MAX_PROOF_KEYS } from '@offizin/contracts/requests/request-proof';
import {
  callKeysFile,
  databasePasswordVariable,
  databaseUrlFile,
  idempotencySecretFile,
  known,
} from './installation-secrets';

/** The secrets of an installation by the name of the file that holds each. */
type Secrets = Record<string, string>;

interface Rotation {
  /** The secrets that the step changes. Throws for a step out of order. */
  changed: (secrets: Secrets, step: RotationStep) => Secrets;
  /** What puts a step into force, and when the next one may follow. */
  then: Record<RotationStep, string>;
}

const RUN_PASSWORDS =
  'Run deploy/postgres/passwords.sh (Compose: docker compose exec postgres sh /run/secrets/passwords.sh; ' +
  'Kubernetes, once the pod has the new Secret, two minutes: kubectl -n offizin exec postgres-0 -- sh /etc/offizin/passwords.sh)';

/** What `deploy rotate` can change; docs/operate/operations.md says where each is used. */
export const rotations = {
  MASTER_KEY: {
    changed: inCommas(['MASTER_KEY']),
    then: {
      add: 'Roll out order-core and webhook-worker: both can read what either key encrypted.',
      switch:
        'Roll out order-core and webhook-worker: they encrypt again what the old key encrypted, and log how many values. ' +
        'Before "drop": wait until no such line appears for a minute, and keep the second key with the backups that need it.',
      drop: 'Roll out order-core and webhook-worker.',
    },
  },
  TOKEN_SIGNING_KEYS: {
    changed: inKeySet('TOKEN_SIGNING_KEYS', newSigningKey, () => []),
    then: {
      add: 'Roll out the gateway: it accepts tokens of both keys.',
      switch:
        'Roll out the gateway: the new key signs. Before "drop": wait until the last token of the old key has expired.',
      drop: 'Roll out the gateway.',
    },
  },
  PROOF_SIGNING_KEYS: {
    // The former key goes on checking the proofs that it signed.
    changed: inKeySet('PROOF_SIGNING_KEYS', newProofKey, ({ d: _private, ...published }) => [published]),
    then: {
      add: 'Roll out order-core. Before "switch": wait six minutes, until the new key is published.',
      switch: 'Roll out order-core: the new key signs.',
      drop: 'Roll out order-core: the old key stays published, and can sign nothing.',
    },
  },
  IDEMPOTENCY_SECRET: {
    changed: inCommas(databaseServices.map(idempotencySecretFile)),
    then: {
      add: 'Roll out order-core, catalog and webhook-worker: they can read stored answers of both secrets.',
      switch:
        'Roll out all three: new answers are stored under the new secret. Before "drop": wait 24 hours, until no answer of the old one is stored.',
      drop: 'Roll out all three.',
    },
  },
  CALL_KEYS: {
    changed: changedCallKeys,
    then: {
      add: 'Roll out all apps: they accept the new keys.',
      switch: 'Roll out all apps: they sign with the new keys.',
      drop: 'Roll out all apps: the old keys are refused.',
    },
  },
  NATS: {
    changed: changedNatsPasswords,
    then: {
      add: 'The broker accepts the new passwords when its log has "Reloaded".',
      switch: 'Roll out all apps: they sign in with the new passwords.',
      drop: 'The broker refuses the old passwords when its log has "Reloaded".',
    },
  },
  DATABASE: {
    changed: changedDatabasePasswords,
    then: {
      add: `${RUN_PASSWORDS}: the server accepts both logins of each service.`,
      switch:
        'Roll out order-core, catalog and webhook-worker: they sign in by the other login. Change DATABASE_READ_URL, too.',
      drop: `${RUN_PASSWORDS}: the server refuses the old login.`,
    },
  },
} satisfies Record<string, Rotation>;

export type Rotatable = keyof typeof rotations;

/** Each of the files holds one secret, during a rotation two: the first one encrypts, both decrypt. */
function inCommas(names: readonly string[]): Rotation['changed'] {
  return (secrets, step) => {
    const lists = mapEntries(names, (name) => known(secrets, name).split(','));
    const next = rotated(lists, step);
    return mapEntries(names, (name) => next[name]?.join(',') ?? '');
  };
}

interface PrivateKey {
  readonly d?: string | undefined;
}

/** A JWK set: the first key signs. `former` is what stays in the set of a key that signs no more. */
function inKeySet(
  name: string,
  newKey: () => object,
  former: (key: PrivateKey) => object[],
): Rotation['changed'] {
  return (secrets, step) => {
    const { keys } = JSON.parse(known(secrets, name)) as { keys: PrivateKey[] };
    const texts = keys.filter(({ d }) => d !== undefined).map((key) => JSON.stringify(key));
    const next = rotated({ [name]: texts }, step, () => JSON.stringify(newKey()))[name] ?? [];
    const dropped = texts.filter((text) => !next.includes(text)).flatMap((text) => former(parsed(text)));
    const published = keys.filter(({ d }) => d === undefined);
    const all = [...next.map(parsed), ...dropped, ...published];
    if (all.length > MAX_PROOF_KEYS)
      throw new Error(`${name} holds ${MAX_PROOF_KEYS} keys: remove the oldest one first.`);
    return { [name]: JSON.stringify({ keys: all }) };
  };
}

function parsed(text: string): PrivateKey {
  return JSON.parse(text) as PrivateKey;
}

function changedCallKeys(secrets: Secrets, step: RotationStep): Secrets {
  const pairs = rotated(
    pairsOf((process) => known(secrets, callKeysFile(process))),
    step,
  );
  return Object.fromEntries(natsUsers.map((user) => [callKeysFile(user), callKeysOf(user, pairs)]));
}

function changedNatsPasswords(secrets: Secrets, step: RotationStep): Secrets {
  const present = natsUsers.map((user) => [user, known(secrets, natsPasswordVariable(user))]);
  const next = rotatedNatsPasswords(Object.fromEntries(present) as Record<NatsUser, string>, step);
  return Object.fromEntries(natsUsers.map((user) => [natsPasswordVariable(user), next[user]]));
}

function changedDatabasePasswords(secrets: Secrets, step: RotationStep): Secrets {
  const lists = mapEntries(databaseServices, (name) =>
    known(secrets, databasePasswordVariable(name)).split(','),
  );
  const next = rotated(lists, step, (name, present) =>
    newLogin(secondLogin(name as DatabaseService), present),
  );
  return Object.fromEntries(
    databaseServices.flatMap((name) => {
      const [first = '', ...rest] = next[name] ?? [];
      const url = new URL(known(secrets, databaseUrlFile(name)));
      const [password = '', login = databaseRoles[name]] = first.split(':').reverse();
      Object.assign(url, { username: login, password });
      return [
        [databasePasswordVariable(name), [first, ...rest].join(',')],
        [databaseUrlFile(name), url.toString()],
      ];
    }),
  );
}

function mapEntries<T>(names: readonly string[], valueOf: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}
