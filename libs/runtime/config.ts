import { readFileSync } from 'node:fs';
import { readCallKeys } from './call-keys';
import { LOG_LEVELS } from './log';

/** One class per app, read once from the environment. docs/configuration.md is generated from the same descriptions. */
export interface SettingDescription {
  environment: string;
  property: string;
  description: string;
  /** In the form of the environment variable; undefined for a required setting. */
  fallback: string | undefined;
  secret: boolean;
  parse: (text: string) => unknown;
}

interface SettingOptions {
  description: string;
  default?: string;
  secret?: boolean;
}

const settingsByPrototype = new WeakMap<object, SettingDescription[]>();

export function TextSetting(environment: string, options: SettingOptions & { minLength?: number }) {
  return setting(environment, options, (text) => {
    if (text.length < (options.minLength ?? 1))
      throw new Error(`must be at least ${options.minLength ?? 1} characters`);
    return text;
  });
}

export function IntegerSetting(
  environment: string,
  options: SettingOptions & { minimum: number; maximum: number },
) {
  return setting(environment, options, (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < options.minimum || value > options.maximum) {
      throw new Error(`must be a whole number from ${options.minimum} to ${options.maximum}`);
    }
    return value;
  });
}

/** Stored as text, so that PostgreSQL's numeric receives it unchanged. */
export function DecimalSetting(environment: string, options: SettingOptions & { maximum: number }) {
  return setting(environment, options, (text) => {
    if (!/^\d{1,9}(\.\d{1,4})?$/.test(text) || Number(text) > options.maximum) {
      throw new Error(
        `must be a decimal number from 0 to ${options.maximum} with a point and at most four decimals`,
      );
    }
    return text;
  });
}

export function PortSetting(environment: string, options: SettingOptions) {
  return IntegerSetting(environment, { ...options, minimum: 0, maximum: 65_535 });
}

export function ChoiceSetting(environment: string, options: SettingOptions & { choices: readonly string[] }) {
  return setting(environment, options, (text) => {
    if (!options.choices.includes(text)) throw new Error(`must be one of ${options.choices.join(', ')}`);
    return text;
  });
}

export function FlagSetting(environment: string, options: SettingOptions) {
  return setting(environment, options, (text) => {
    if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
    return text === 'true';
  });
}

export function UrlSetting(environment: string, options: SettingOptions & { protocols: string[] }) {
  return setting(environment, options, (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || !options.protocols.includes(url.protocol)) {
      throw new Error(`must be a URL that begins with ${options.protocols.join('// or ')}//`);
    }
    return text.replace(/\/$/, '');
  });
}

/** One key of 32 bytes in base64, or two during a rotation: the first encrypts, both decrypt. */
export function KeysSetting(environment: string, options: SettingOptions) {
  return setting(environment, { ...options, secret: true }, (text) => {
    const keys = oneOrTwo(text).map((part) => Buffer.from(part, 'base64'));
    if (keys.some((key) => key.length !== 32))
      throw new Error('must be 32 bytes in base64 (openssl rand -base64 32)');
    return keys;
  });
}

/** One secret, or two during a rotation: the first signs, both are accepted. */
export function SecretsSetting(environment: string, options: SettingOptions) {
  return setting(environment, { ...options, secret: true }, (text) => {
    if (oneOrTwo(text).some((part) => part.length < 32)) throw new Error('must be at least 32 characters');
    return text;
  });
}

export function CallKeysSetting(environment: string, options: SettingOptions) {
  return setting(environment, { ...options, secret: true }, (text) => {
    readCallKeys(text);
    return text;
  });
}

function oneOrTwo(text: string): string[] {
  const parts = text.split(',');
  if (parts.length > 2) throw new Error('must be one value, or two separated by a comma');
  return parts;
}

/**
 * Throws one error that lists every mistake. An empty variable counts as not set. Secrets may come from `<NAME>_FILE`,
 * because many tools display environments.
 */
export function readConfig<T extends object>(configClass: new () => T, environment: NodeJS.ProcessEnv): T {
  const config = new configClass();
  const mistakes: string[] = [];
  for (const setting of settingsOf(configClass)) {
    const { environment: name, property, parse } = setting;
    try {
      Object.defineProperty(config, property, {
        value: parse(textOf(setting, environment)),
        enumerable: true,
      });
    } catch (error) {
      mistakes.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (mistakes.length > 0) {
    throw new Error(
      `The configuration cannot work:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
    );
  }
  return config;
}

function textOf({ environment: name, fallback, secret }: SettingDescription, environment: NodeJS.ProcessEnv) {
  const own = environment[name];
  const file = secret ? environment[secretFileVariable(name)] : undefined;
  if (own && file) throw new Error(`is set, and ${secretFileVariable(name)} too: give one of them`);
  const text = own || (file && secretIn(file, name)) || fallback;
  if (text === undefined) throw new Error('is not set');
  return text;
}

/** A trailing line break is not part of the secret. */
function secretIn(file: string, name: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error && 'code' in error ? String(error.code) : 'unknown';
    throw new Error(`cannot be read from ${secretFileVariable(name)} (${code})`);
  }
  const secret = text.replace(/[\r\n]+$/, '');
  if (!secret) throw new Error(`is empty in ${secretFileVariable(name)}`);
  return secret;
}

export function secretFileVariable(name: string): string {
  return `${name}_FILE`;
}

export function settingsOf(configClass: new () => object): SettingDescription[] {
  const found: SettingDescription[] = [];
  for (
    let at: unknown = configClass.prototype;
    typeof at === 'object' && at !== null;
    at = Object.getPrototypeOf(at)
  ) {
    found.unshift(...(settingsByPrototype.get(at) ?? []));
  }
  return found;
}

function setting(
  environment: string,
  options: SettingOptions,
  parse: (text: string) => unknown,
): (target: object, property: string) => void {
  return (target, property) => {
    const own = settingsByPrototype.get(target) ?? [];
    const { description, default: fallback, secret = false } = options;
    own.push({ environment, property, description, fallback, secret, parse });
    settingsByPrototype.set(target, own);
  };
}

export class ProcessConfig {
  @TextSetting('BIND_ADDRESS', { default: '0.0.0.0', description: 'Address that the ports listen on' })
  readonly bindAddress!: string;

  @PortSetting('MANAGEMENT_PORT', {
    default: '9100',
    description: 'Internal port of /healthz, /readyz and /metrics',
  })
  readonly managementPort!: number;

  @TextSetting('NATS_URL', { description: 'URL of the broker (nats://), or several separated by commas' })
  readonly natsUrl!: string;

  @TextSetting('NATS_USER', { description: 'User of this process at the broker' })
  readonly natsUser!: string;

  @TextSetting('NATS_PASSWORD', { secret: true, description: 'Password of NATS_USER' })
  readonly natsPassword!: string;

  @IntegerSetting('STREAM_REPLICAS', {
    default: '1',
    minimum: 1,
    maximum: 5,
    description:
      "Copies of each stream in the broker's cluster: 3 with three servers. The same for all processes.",
  })
  readonly streamReplicas!: number;

  @CallKeysSetting('CALL_KEYS', {
    description:
      'Keys of this process for calls to and from the others, JSON `{"out": {"<receiver>": ["<key>"]}, "in": {"<sender>": ["<key>"]}}`. During a rotation, two keys per pair: the first signs, both are accepted.',
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
}

export class ServiceConfig extends ProcessConfig {
  @UrlSetting('DATABASE_URL', {
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
    description: "PostgreSQL of this service, with the service's own role",
  })
  readonly databaseUrl!: string;

  @IntegerSetting('DATABASE_POOL', {
    default: '16',
    minimum: 2,
    maximum: 200,
    description: 'Limit of database connections',
  })
  readonly databasePool!: number;

  @SecretsSetting('IDEMPOTENCY_SECRET', {
    description:
      'Secret under which this service encrypts stored answers of requests with an Idempotency-Key. During a rotation, two secrets separated by a comma: the first encrypts, both decrypt.',
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
      'Time until the broker sends an event again that this service has not acknowledged; counts for a consumer that is created',
  })
  readonly eventAckWaitSeconds!: number;

  @IntegerSetting('OUTBOX_RECONCILE_SECONDS', {
    default: '30',
    minimum: 2,
    maximum: 600,
    description: 'Interval at which the consumers are asked about events that nobody has confirmed',
  })
  readonly outboxReconcileSeconds!: number;
}
