import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority } from '@offizin/testkit/certificates';
import {
  ChoiceSetting,
  DecimalSetting,
  FlagSetting,
  IntegerSetting,
  KeysSetting,
  readConfig,
  settingsOf,
  TextSetting,
  UrlSetting,
} from './config';
import { brokerMistakes, loginOf, ProcessConfig, ServiceConfig } from './process-config';

class SampleConfig {
  @TextSetting('NAME', { description: 'n', minLength: 3 }) readonly name!: string;
  @IntegerSetting('COUNT', { description: 'c', minimum: 1, maximum: 10, default: '5' })
  readonly count!: number;
  @FlagSetting('LOUD', { description: 'l', default: 'false' }) readonly loud!: boolean;
  @UrlSetting('PLACE', { description: 'p', protocols: ['https:', 'http:'] }) readonly place!: string;
  @KeysSetting('KEY', { description: 'k' }) readonly key!: Buffer[];
  @ChoiceSetting('COLOUR', { description: 'c', choices: ['red', 'blue'], default: 'red' })
  readonly colour!: string;
}

const KEY = Buffer.alloc(32, 7);
const GOOD = { NAME: 'abc', PLACE: 'https://a.example/', KEY: KEY.toString('base64') };

function mistakes(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(SampleConfig, environment);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [headline, ...lines] = error.message.split('\n');
    expect(headline).toBe('The configuration cannot work:');
    return lines.map((line) => line.replace('  - ', ''));
  }
  return [];
}

it('reads every setting in its type, with defaults for missing ones', () => {
  expect({ ...readConfig(SampleConfig, GOOD) }).toEqual({
    name: 'abc',
    count: 5,
    loud: false,
    place: 'https://a.example',
    key: [KEY],
    colour: 'red',
  });
  expect(readConfig(SampleConfig, { ...GOOD, COUNT: '10', LOUD: 'true', COLOUR: 'blue' })).toMatchObject({
    count: 10,
    loud: true,
    colour: 'blue',
  });
});

it('counts an empty variable as not set', () => {
  expect(mistakes({ ...GOOD, NAME: '', COUNT: '' })).toEqual(['NAME is not set']);
});

it('lists every mistake in one message', () => {
  const environment = {
    NAME: 'ab',
    COUNT: '11',
    LOUD: 'yes',
    PLACE: 'ftp://x',
    KEY: 'short',
    COLOUR: 'green',
  };
  expect(mistakes(environment)).toEqual([
    'NAME must be at least 3 characters',
    'COUNT must be a whole number from 1 to 10',
    'LOUD must be true or false',
    'PLACE must be a URL that begins with https:// or http://',
    'KEY must be 32 bytes in base64 (openssl rand -base64 32)',
    'COLOUR must be one of red, blue',
  ]);
  expect(mistakes({})).toEqual(['NAME is not set', 'PLACE is not set', 'KEY is not set']);
});

it.each(['-1', '1.0', '1e1', ' 5', '0x5', '٣', 'NaN', '5;'])('refuses %p as a whole number', (text) => {
  expect(mistakes({ ...GOOD, COUNT: text })).toEqual(['COUNT must be a whole number from 1 to 10']);
});

it('reports a malformed secret without quoting it', () => {
  const short = 'hunter2';
  try {
    readConfig(ServiceConfig, { IDEMPOTENCY_SECRET: short, DATABASE_URL: `mysql://u:${short}@h/d` });
  } catch (error) {
    expect(String(error)).toContain('IDEMPOTENCY_SECRET must be at least 32 characters');
    expect(String(error)).toContain(
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
    );
    expect(String(error)).toContain('NATS_URL is not set');
    expect(String(error)).not.toContain(short);
  }
  expect.assertions(4);
});

it('refuses a log level that does not exist', () => {
  expect(() => readConfig(ServiceConfig, { LOG_LEVEL: 'loud' })).toThrow(
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace',
  );
});

it('describes each setting once, inherited ones first', () => {
  class Extended extends SampleConfig {
    @TextSetting('FURTHER', { description: 'f', secret: true }) readonly further!: string;
  }
  const own = ['NAME', 'COUNT', 'LOUD', 'PLACE', 'KEY', 'COLOUR'];
  expect(settingsOf(SampleConfig).map(({ environment }) => environment)).toEqual(own);
  expect(settingsOf(Extended).map(({ environment }) => environment)).toEqual([...own, 'FURTHER']);
  expect(
    settingsOf(Extended)
      .filter(({ secret }) => secret)
      .map(({ property }) => property),
  ).toEqual(['key', 'further']);
});

it('a URL that may be missing is empty then, and is checked when it is set', () => {
  class OptionalConfig {
    @UrlSetting('WHERE', { description: 'w', protocols: ['https:'], default: '', secret: true })
    readonly where!: string;
  }
  expect(readConfig(OptionalConfig, {}).where).toBe('');
  expect(readConfig(OptionalConfig, { WHERE: 'https://a.example/' }).where).toBe('https://a.example');
  expect(() => readConfig(OptionalConfig, { WHERE: 'a.example' })).toThrow(
    'WHERE must be a URL that begins with https://',
  );
});

describe('a decimal setting', () => {
  class FeeConfig {
    @DecimalSetting('FEE', { description: 'f', default: '0', maximum: 100 }) readonly fee!: string;
  }

  it.each(['0', '1.50', '0.0125', '100', '100.0000'])('reads %s unchanged', (FEE) => {
    expect(readConfig(FeeConfig, { FEE }).fee).toBe(FEE);
  });

  it.each(['-1', '100.01', '1,50', '1.', '.5', '1e2', '0x10', 'NaN', ' 1', '0.12345'])(
    'refuses %p',
    (FEE) => {
      expect(() => readConfig(FeeConfig, { FEE })).toThrow('FEE must be a decimal number from 0 to 100');
    },
  );
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-config-'));

  const { KEY: _key, ...withoutKey } = GOOD;
  const file = (text: string): string => {
    const path = join(folder, 'key');
    writeFileSync(path, text);
    return path;
  };

  it.each(['', '\n', '\r\n'])('is read, without the line break %j after it', (end) => {
    const config = readConfig(SampleConfig, { ...withoutKey, KEY_FILE: file(`${GOOD.KEY}${end}`) });
    expect(config.key).toEqual([KEY]);
  });

  it('is a mistake next to the variable, or when missing, empty or wrong, and is never quoted', () => {
    expect(mistakes({ ...GOOD, KEY_FILE: file(GOOD.KEY) })).toEqual([
      'KEY is set, and KEY_FILE too: give one of them',
    ]);
    expect(mistakes({ ...withoutKey, KEY_FILE: join(folder, 'absent') })).toEqual([
      'KEY cannot be read from KEY_FILE (ENOENT)',
    ]);
    expect(mistakes({ ...withoutKey, KEY_FILE: file('\n') })).toEqual(['KEY is empty in KEY_FILE']);
    expect(mistakes({ ...withoutKey, KEY_FILE: file('hunter2') })).toEqual([
      'KEY must be 32 bytes in base64 (openssl rand -base64 32)',
    ]);
  });

  it('is read for secrets only', () => {
    const { NAME: _name, ...withoutName } = GOOD;
    expect(mistakes({ ...withoutName, NAME_FILE: file('abc') })).toEqual(['NAME is not set']);
  });

  describe('of its name, in the folder for secrets', () => {
    const mounted = mkdtempSync(join(tmpdir(), 'offizin-secrets-'));
    const other = randomBytes(32).toString('base64');
    const read = (environment: NodeJS.ProcessEnv) => readConfig(SampleConfig, environment, mounted).key;
    const mount = (text: string): void => writeFileSync(join(mounted, 'KEY'), text);

    it('is read unless a variable says more', () => {
      expect(() => read(withoutKey)).toThrow('KEY is not set');
      mount(`${GOOD.KEY}\n`);
      writeFileSync(join(mounted, 'NAME'), 'abc');
      expect(read(withoutKey)).toEqual([KEY]);
      expect(read({ ...GOOD, KEY: other })).toEqual([Buffer.from(other, 'base64')]);
      expect(read({ ...withoutKey, KEY_FILE: file(other) })).toEqual([Buffer.from(other, 'base64')]);
      const { NAME: _name, ...withoutName } = withoutKey;
      expect(() => read(withoutName)).toThrow(/NAME is not set$/);
    });

    it('is a mistake when it is empty, or cannot be read, and names the path', () => {
      mount('\n');
      expect(() => read(withoutKey)).toThrow(`KEY is empty in ${join(mounted, 'KEY')}`);
      rmSync(join(mounted, 'KEY'));
      mkdirSync(join(mounted, 'KEY'));
      expect(() => read(withoutKey)).toThrow(`KEY cannot be read from ${join(mounted, 'KEY')} (EISDIR)`);
    });
  });
});

describe('settings of a broker with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-config-'));
  let authority: TestAuthority;
  beforeAll(async () => {
    authority = await TestAuthority.create();
  });
  const ENVIRONMENT = { NATS_USER: 'u', NATS_PASSWORD: 'p', CALL_KEYS: '{"out":{},"in":{}}' };
  const read = (environment: NodeJS.ProcessEnv) =>
    readConfig(ProcessConfig, { ...ENVIRONMENT, ...environment });

  it('are read with the file of the authority', () => {
    const config = read({ NATS_URL: 'tls://nats:4222', NATS_TLS_CA_FILE: authority.caFile });
    expect(config.natsTlsCaFile).toBe(authority.caFile);
    expect(read({ NATS_URL: 'nats://nats:4222' }).natsTlsCaFile).toBe('');
  });

  it('are refused with a file that is missing or holds no certificate, and with half of TLS', () => {
    const absent = join(folder, 'absent');
    expect(() => read({ NATS_URL: 'tls://nats:4222', NATS_TLS_CA_FILE: absent })).toThrow(
      `NATS_TLS_CA_FILE names ${absent}, which holds no certificate (ENOENT)`,
    );
    const text = join(folder, 'text');
    writeFileSync(text, 'hello');
    expect(() => read({ NATS_URL: 'tls://nats:4222', NATS_TLS_CA_FILE: text })).toThrow(
      'holds no certificate',
    );
    expect(() => read({ NATS_URL: 'nats://nats:4222', NATS_TLS_CA_FILE: authority.caFile })).toThrow(
      'NATS_TLS_CA_FILE is set, and NATS_URL does not begin with tls://',
    );
  });
});

it.each([
  ['one password', 'p1', 'catalog', 'p1'],
  ['one of the second user', 'catalog-2:p2', 'catalog-2', 'p2'],
  ['two, the old one first', 'p1,catalog-2:p2', 'catalog', 'p1'],
  ['two, the new one first', 'catalog-2:p2,p1', 'catalog-2', 'p2'],
  ['a password with the separators in it', 'a,b:c', 'catalog', 'a,b:c'],
  ['a password that names another user', 'order-core-2:p', 'catalog', 'order-core-2:p'],
  ['none', '', 'catalog', ''],
])('signs in with %s', (_what, passwords, user, pass) => {
  expect(loginOf('catalog', passwords)).toEqual({ user, pass });
});

const CA = '/run/certificates/ca.crt';

it.each([
  ['plain text', 'nats://nats:4222', ''],
  ['TLS by the authorities of Node.js', 'tls://nats.example.org:4222', ''],
  ['TLS by an authority of its own', 'tls://nats:4222', CA],
  ['TLS to three servers', 'tls://nats-0:4222,tls://nats-1:4222,tls://nats-2:4222', CA],
])('accepts %s', (_what, natsUrl, natsTlsCaFile) => {
  expect(brokerMistakes({ natsUrl, natsTlsCaFile })).toEqual([]);
});

it.each([
  ['an authority without TLS', 'nats://nats:4222', CA, 'nothing would be encrypted'],
  ['no protocol, which is plain text', 'nats:4222', CA, 'nothing would be encrypted'],
  ['TLS to some servers', 'tls://nats-0:4222,nats://nats-1:4222', CA, 'NATS_URL mixes tls://'],
  ['TLS in capitals, which would be plain text', 'TLS://nats:4222', '', 'small letters'],
  ['a space before TLS, which would be plain text', 'nats://a:4222, tls://b:4222', '', 'small letters'],
  ['TLS to an address', 'tls://10.0.0.5:4222', CA, 'NATS_URL names 10.0.0.5 by its address'],
  ['TLS to an address of IPv6', 'tls://[::1]:4222', '', 'NATS_URL names ::1 by its address'],
])('refuses %s', (_what, natsUrl, natsTlsCaFile, mistake) => {
  expect(brokerMistakes({ natsUrl, natsTlsCaFile })).toEqual([expect.stringContaining(mistake)]);
});
