import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCallKeys } from './call-keys';

/**
 * One class per app, read once from the environment. docs/operate/configuration.md is generated from the same
 * descriptions.
 */
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

/** Without a URL the value is '', where that is the default. */
export function UrlSetting(environment: string, options: SettingOptions & { protocols: string[] }) {
  return setting(environment, options, (text) => {
    if (text === '' && options.default === '') return text;
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

/** Path of a file with certificates in PEM; empty unless set. It is read again for each connection. */
export function CertificatesFileSetting(environment: string, { description }: SettingOptions) {
  return setting(environment, { default: '', description }, (path) => {
    if (path === '') return path;
    try {
      new X509Certificate(readFileSync(path));
    } catch (error) {
      throw new Error(`names ${path}, which holds no certificate (${codeOf(error)})`);
    }
    return path;
  });
}

function oneOrTwo(text: string): string[] {
  const parts = text.split(',');
  if (parts.length > 2) throw new Error('must be one value, or two separated by a comma');
  return parts;
}

/** A class of settings may compare them with each other, when each one is valid by itself. */
interface ComparesSettings {
  mistakes: () => string[];
}

function comparesSettings(config: object): config is ComparesSettings {
  return 'mistakes' in config && typeof config.mistakes === 'function';
}

/** Where Docker mounts secrets, and the manifests, too: each in a file that is named as its setting. */
export const SECRETS_FOLDER = '/run/secrets';

/**
 * Throws one error that lists every mistake. An empty variable counts as not set. A secret that is not set comes from
 * the file that `<NAME>_FILE` names, else from the one of its name in `secretsFolder`: many tools display environments.
 */
export function readConfig<T extends object>(
  configClass: new () => T,
  environment: NodeJS.ProcessEnv,
  secretsFolder = SECRETS_FOLDER,
): T {
  const config = new configClass();
  const mistakes: string[] = [];
  for (const setting of settingsOf(configClass)) {
    const { environment: name, property, parse } = setting;
    try {
      Object.defineProperty(config, property, {
        value: parse(textOf(setting, environment, secretsFolder)),
        enumerable: true,
      });
    } catch (error) {
      mistakes.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (mistakes.length === 0 && comparesSettings(config)) mistakes.push(...config.mistakes());
  if (mistakes.length > 0) {
    throw new Error(
      `The configuration cannot work:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`,
    );
  }
  return config;
}

function textOf(
  { environment: name, fallback, secret }: SettingDescription,
  environment: NodeJS.ProcessEnv,
  secretsFolder: string,
): string {
  const own = environment[name];
  const file = secret ? environment[secretFileVariable(name)] : undefined;
  if (own && file) throw new Error(`is set, and ${secretFileVariable(name)} too: give one of them`);
  const text = own || (secret && secretOf(name, file, secretsFolder)) || fallback;
  if (text === undefined) throw new Error('is not set');
  return text;
}

/** From `file`, else from the folder; undefined where neither is there. A trailing line break is not part of a secret. */
function secretOf(name: string, file: string | undefined, secretsFolder: string): string | undefined {
  const path = file || join(secretsFolder, name);
  const place = file ? secretFileVariable(name) : path;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!file && codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`cannot be read from ${place} (${codeOf(error)})`);
  }
  const secret = text.replace(/[\r\n]+$/, '');
  if (!secret) throw new Error(`is empty in ${place}`);
  return secret;
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error && 'code' in error ? String(error.code) : 'unknown';
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
