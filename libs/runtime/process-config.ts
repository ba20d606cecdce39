import { isIP } from 'node:net';
import {
  CallKeysSetting,
  CertificatesFileSetting,
  ChoiceSetting,
  FlagSetting,
  IntegerSetting,
  PortSetting,
  SecretsSetting,
  TextSetting,
  UrlSetting,
} from './config';
import { LOG_LEVELS } from './log';

/** Settings of every app, and of every service with a database. */
export class ProcessConfig {
  @TextSetting('BIND_ADDRESS', { default: '0.0.0.0', description: 'Address that the ports listen on' })
  readonly bindAddress!: string;

  @PortSetting('MANAGEMENT_PORT', {
    default: '9100',
    description: 'Internal port of /healthz, /readyz and /metrics',
  })
  readonly managementPort!: number;

  @TextSetting('NATS_URL', {
    description: 'URL of the broker (nats://, or tls:// to encrypt), or several separated by commas',
  })
  readonly natsUrl!: string;

  @TextSetting('NATS_USER', { description: 'User of this process at the broker' })
  readonly natsUser!: string;

  @TextSetting('NATS_PASSWORD', {
    secret: true,
    description:
      'Password of NATS_USER; `<NATS_USER>-2:<password>` is that of the second user with the same rights. During a rotation both, separated by a comma: the first signs in.',
  })
  readonly natsPassword!: string;

  @CertificatesFileSetting('NATS_TLS_CA_FILE', {
    description:
      "File (PEM) with the certificate authority of the broker, for tls://; else Node.js's own and NODE_EXTRA_CA_CERTS. Read for each connection.",
  })
  readonly natsTlsCaFile!: string;

  @IntegerSetting('STREAM_REPLICAS', {
    default: '1',
    minimum: 1,
    maximum: 5,
    description: 'Copies of each stream: 3 with three servers. The same for all processes.',
  })
  readonly streamReplicas!: number;

  @CallKeysSetting('CALL_KEYS', {
    description:
      'Keys for calls to and from the other processes, JSON `{"out": {"<receiver>": ["<key>"]}, "in": {"<sender>": ["<key>"]}}`. During a rotation, two keys per pair: the first signs, both are accepted.',
  })
  readonly callKeys!: string;

  @ChoiceSetting('LOG_LEVEL', {
    choices: LOG_LEVELS,
    default: 'info',
    description: 'Lowest level that is logged: fatal, error, warn, info, debug or trace',
  })
  readonly logLevel!: string;

  @IntegerSetting('DRAIN_SECONDS', {
    default: '20',
    minimum: 1,
    maximum: 300,
    description: 'Longest wait for work in flight after SIGTERM',
  })
  readonly drainSeconds!: number;

  @IntegerSetting('DRAIN_DELAY_SECONDS', {
    default: '3',
    minimum: 0,
    maximum: 60,
    description:
      'How long requests are still accepted after SIGTERM, until load balancers have noticed /readyz',
  })
  readonly drainDelaySeconds!: number;

  mistakes(): string[] {
    return brokerMistakes(this);
  }
}

const DATABASE_URL = {
  protocols: ['postgres:', 'postgresql:'],
  secret: true,
  description: "PostgreSQL of this service, with the service's own role",
};

/** A process that only migrates, and ends. */
export class MigrationConfig {
  @UrlSetting('DATABASE_URL', DATABASE_URL) readonly databaseUrl!: string;
}

export class ServiceConfig extends ProcessConfig {
  @UrlSetting('DATABASE_URL', DATABASE_URL) readonly databaseUrl!: string;

  @IntegerSetting('DATABASE_POOL', {
    default: '16',
    minimum: 2,
    maximum: 200,
    description: 'Limit of database connections',
  })
  readonly databasePool!: number;

  @SecretsSetting('IDEMPOTENCY_SECRET', {
    description:
      'Secret that encrypts stored answers of requests with an Idempotency-Key. During a rotation, two separated by a comma: the first encrypts, both decrypt.',
  })
  readonly idempotencySecret!: string;

  @FlagSetting('MIGRATE_ON_START', {
    default: 'false',
    description: 'Migrate before serving; otherwise run `node main.js migrate` before a roll-out',
  })
  readonly migrateOnStart!: boolean;

  @IntegerSetting('EVENT_ACK_WAIT_SECONDS', {
    default: '30',
    minimum: 2,
    maximum: 600,
    description:
      'Time until the broker sends an unacknowledged event again; applies when the consumer is created',
  })
  readonly eventAckWaitSeconds!: number;

  @IntegerSetting('OUTBOX_RECONCILE_SECONDS', {
    default: '30',
    minimum: 2,
    maximum: 600,
    description: 'Interval at which the consumers are asked about unconfirmed events',
  })
  readonly outboxReconcileSeconds!: number;
}

/**
 * `<password>` is the one of `user`, `<user>-2:<password>` the one of the second user, who has the same rights
 * (deploy/nats/permissions.conf). During a rotation there are both, separated by a comma: the first signs in.
 */
export function loginOf(user: string, passwords: string): { user: string; pass: string } {
  const second = `${user}-2`;
  if (passwords.startsWith(`${second}:`)) {
    const [pass = ''] = passwords.slice(second.length + 1).split(',');
    return { user: second, pass };
  }
  // Not at any comma: a password that was chosen elsewhere may contain one.
  const end = passwords.indexOf(`,${second}:`);
  return { user, pass: end < 0 ? passwords : passwords.slice(0, end) };
}

const TLS = 'tls://';

/** Settings of the broker that do not fit together: half of TLS would be none. One sentence for each. */
export function brokerMistakes(config: { natsUrl: string; natsTlsCaFile: string }): string[] {
  const urls = config.natsUrl.split(',');
  const encrypted = urls.filter((url) => url.startsWith(TLS));
  // The client would connect, in plain text.
  if (urls.some((url) => !url.startsWith(TLS) && /^\s*tls:/i.test(url)))
    return ['NATS_URL: tls:// is written in small letters, without a space before it'];
  if (encrypted.length === 0)
    return config.natsTlsCaFile === ''
      ? []
      : ['NATS_TLS_CA_FILE is set, and NATS_URL does not begin with tls://: nothing would be encrypted'];
  if (encrypted.length < urls.length)
    return ['NATS_URL mixes tls:// with other addresses: all or none are encrypted'];
  // The client (nats 2.29.3) would compare the certificate with "localhost" instead of the address.
  return encrypted
    .filter((url) => isIP(hostOf(url)) !== 0)
    .map(
      (url) => `NATS_URL names ${hostOf(url)} by its address: with tls:// a certificate is checked by name`,
    );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}
