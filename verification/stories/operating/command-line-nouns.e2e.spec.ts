import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { CommandLine, type CommandOutcome, installationVariables } from '@offizin/testkit/command-line';
import type { TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** Organizations, shops, keys, staff and webhooks at the command line; its JSON, its text and its failures. */
const platform = usePlatform();
let organization: TestOrganization;
let foreign: TestOrganization;
const folder = mkdtempSync(join(tmpdir(), 'offizin-nouns-'));
const commandLine = new CommandLine(folder);

beforeAll(async () => {
  [organization, foreign] = await Promise.all([platform.organization(), platform.organization()]);
});

function variables(of = organization): Record<string, string> {
  return installationVariables({ OFFIZIN_BASE_URL: of.urls.baseUrl, OFFIZIN_API_KEY: of.apiKey.text });
}

function run(...args: string[]): Promise<CommandOutcome> {
  return commandLine.run(args, variables());
}

interface Answer extends Record<string, unknown> {
  data: Record<string, unknown>[];
}

async function answerOf(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, '']);
  return JSON.parse(stdout) as Answer;
}

describe('nouns', () => {
  it('creates, lists, shows and revokes keys, and shows a key once', async () => {
    const made = await answerOf('keys', 'create', '--scopes', 'orders.read', 'Report');
    const { id, api_key } = made as { id?: string; api_key?: string };
    expect(api_key).toMatch(/^ofz_org_/);
    const listed = await run('keys', 'list');
    const shown = await run('keys', 'show', String(id));
    for (const { stdout } of [listed, shown]) {
      expect(stdout).toContain(String(id));
      expect(stdout).not.toContain(String(api_key).slice(0, 30));
    }
    expect(await answerOf('keys', 'revoke', String(id))).toEqual({ revoked: id });
    expect((await answerOf('keys', 'show', String(id)))['revoked_at']).toMatch(/^\d{4}-/);
    const used = { ...variables(), OFFIZIN_API_KEY: String(api_key) };
    const { code, stderr } = await commandLine.run(['shops', 'list', '--json'], used);
    expect([code, JSON.parse(stderr)]).toEqual([1, expect.objectContaining({ error: 'unauthorized' })]);
  });

  it('creates organization, shop, key and person as the operator', async () => {
    const tag = uniqueTag();
    const { org_id } = await answerOf('organizations', 'create', `Apotheke ${tag}`);
    const again = ['organizations', 'create', `apotheke ${tag}`];
    const refused = await commandLine.run([...again, '--json'], variables());
    expect([refused.code, JSON.parse(refused.stderr)]).toEqual([
      1,
      expect.objectContaining({ message: expect.stringContaining(`already: ${String(org_id)}. Another`) }),
    ]);
    expect((await answerOf(...again, '--same-name'))['org_id']).not.toBe(org_id);
    const org = ['--org', String(org_id)];
    await answerOf('shops', 'create', ...org, '--domain', `a-${tag}.localhost`, 'Mitte');
    const place = ['--domain', `b-${tag}.localhost`];
    const made = await answerOf('shops', 'create', '--test', ...org, ...place, 'Süd');
    expect(made).toMatchObject({ is_test: true });
    await answerOf('keys', 'create', ...org, 'ERP');
    await answerOf('keys', 'create', ...org, '--kind', 'int', 'Partner');
    expect(await answerOf('organizations', 'show', String(org_id))).toMatchObject({
      name: `Apotheke ${tag}`,
      is_active: true,
      shops: 2,
      live_keys: 2,
    });
    const { data } = await answerOf('organizations', 'list');
    expect(data.map((one) => one['org_id'])).toContain(org_id);
    const email = `anna.${tag}@apotheke.example`;
    const invited = await answerOf('staff', 'invite', ...org, '--email', email, '--role', 'clerk');
    expect(String(invited['url'])).toContain('#');
    const staff = await answerOf('staff', 'list', ...org);
    expect(JSON.stringify(staff)).not.toContain(String(invited['url']).split('#')[1]);
    expect(await answerOf('staff', 'show', ...org, email)).toMatchObject({ email, is_active: true });
    expect(await answerOf('staff', 'switch-off', email)).toMatchObject({ email, is_active: false });
  }, 120_000);

  it('works with --org as the operator, without a key of the organization', async () => {
    const asOperator = async (...args: string[]): Promise<Answer> => {
      const org = ['--org', foreign.orgId, '--json'];
      const { code, stdout, stderr } = await commandLine.run([...args, ...org], installationVariables());
      expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, '']);
      return JSON.parse(stdout) as Answer;
    };
    const shops = await asOperator('shops', 'list');
    expect(shops.data.map((shop) => shop['shop_id']).sort()).toEqual(
      foreign.shops.map(({ shopId }) => shopId).sort(),
    );
    const { id } = await asOperator('keys', 'create', '--scopes', 'orders.read', 'Lost');
    await asOperator('keys', 'revoke', String(id));
    expect((await asOperator('keys', 'show', String(id)))['revoked_at']).toMatch(/^\d{4}-/);
    const hook = await asOperator('webhooks', 'create', 'http://127.0.0.1:9/');
    await asOperator('webhooks', 'revoke', String(hook['id']));
    for (const [org, said] of [
      [foreign.orgId, /no shop|no such shop/i],
      ['nothing', /There is no organization nothing/],
    ] as const) {
      const { code, stderr } = await run('shops', 'show', organization.shops[0].shopId, '--org', org);
      expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
    }
  }, 120_000);

  it('lists, shows and switches off shops', async () => {
    const { data } = await answerOf('shops', 'list');
    expect(data.map((shop) => shop['shop_id']).sort()).toEqual(
      organization.shops.map(({ shopId }) => shopId).sort(),
    );
    const { shopId, domain } = organization.shops[1];
    expect(await answerOf('shops', 'show', shopId)).toMatchObject({ domain, is_active: true });
    await answerOf('shops', 'revoke', shopId);
    expect(await answerOf('shops', 'show', shopId)).toMatchObject({ is_active: false });
  });

  it('subscribes, and shows the secret once', async () => {
    const url = 'http://127.0.0.1:9/hook';
    const made = await answerOf('webhooks', 'create', '--events', 'order_created', url);
    const id = String(made['id']);
    expect(made['secret']).toMatch(/^whsec_/);
    const shown = await answerOf('webhooks', 'show', id);
    expect(shown).toMatchObject({ url, event_types: ['order_created'] });
    expect(JSON.stringify([shown, await answerOf('webhooks', 'list')])).not.toContain('whsec_');
    await answerOf('webhooks', 'revoke', id);
    expect((await answerOf('webhooks', 'list')).data).toEqual([]);
  });
});

/** Every command with arguments for it; the output is JSON, or the failure is. */
const COMMANDS: Record<string, string[]> = {
  'organizations list': [],
  'organizations show': ['nothing'],
  'organizations create': ['Apotheke'],
  'shops list': [],
  'shops show': ['nothing'],
  'shops revoke': ['nothing'],
  'shops create': ['--org', 'nothing', '--domain', 'x.localhost', 'Mitte'],
  'keys list': [],
  'keys show': ['nothing'],
  'keys revoke': ['nothing'],
  'keys create': ['--kind', 'int', 'Partner'],
  'staff invite': ['--org', 'nothing', '--email', 'a@b.example', '--role', 'clerk'],
  'staff list': ['--org', 'nothing'],
  'staff show': ['--org', 'nothing', 'a@b.example'],
  'staff switch-off': ['nobody@b.example'],
  'staff sign-out': ['nobody@b.example'],
  'staff remove-second-factor': ['nobody@b.example'],
  'webhooks list': [],
  'webhooks show': ['nothing'],
  'webhooks revoke': ['nothing'],
  'webhooks create': ['ftp://nowhere'],
  'import-catalog': ['--dry-run', join(folder, 'good.csv')],
  listen: ['--forward-to', 'nowhere'],
  doctor: [],
  'set-aside list': [],
  'set-aside show': ['nothing'],
  'set-aside give-back': ['nothing'],
  'set-aside drop': ['nothing'],
  backup: [join(folder, 'copy')],
  restore: [join(folder, 'copy')],
  // It prints manifests, and wants to be told that it shall.
  secrets: [],
  erasures: [join(folder, 'ledger.jsonl')],
};

const FAILURE = {
  error: expect.stringMatching(/^[a-z_]+$/),
  message: expect.any(String),
  help: expect.any(String),
};

async function commandsBelow(...path: string[]): Promise<string[]> {
  const { stdout } = await run(...path, '--help');
  const [, text = ''] = stdout.split(/^Commands:$/m);
  const listed = [...text.matchAll(/^ {2}([a-z-]+)\S*( [[<])?/gm)];
  if (listed.length === 0) return [path.join(' ')];
  const found: string[] = [];
  for (const [, name = '', takesArguments] of listed)
    if (takesArguments) found.push([...path, name].join(' '));
    else found.push(...(await commandsBelow(...path, name)));
  return found.filter((name) => !name.endsWith('help'));
}

describe('--json', () => {
  it('is the form of every answer and every failure', async () => {
    writeFileSync(join(folder, 'good.csv'), 'p1_id,name,price\nNEW,Tee,1\n');
    const commands = await commandsBelow();
    expect(commands.sort()).toEqual(Object.keys(COMMANDS).sort());
    const check = async (command: string): Promise<void> => {
      const { code, stdout, stderr } = await run(
        ...command.split(' '),
        '--json',
        ...(COMMANDS[command] ?? []),
      );
      const said = `${command}: ${code} ${stdout} ${stderr}`;
      if (code === 0 || stdout !== '') expect([said, typeof JSON.parse(stdout)]).toEqual([said, 'object']);
      else expect([said, JSON.parse(stderr)]).toEqual([said, expect.objectContaining(FAILURE)]);
    };
    for (let first = 0; first < commands.length; first += 3)
      await Promise.all(commands.slice(first, first + 3).map(check));
  }, 300_000);

  it('names each refused line of an import', async () => {
    const file = join(folder, 'lines.csv');
    writeFileSync(file, 'p1_id,name,price\nP,Tee,viel\n');
    const { code, stdout, stderr } = await run('import-catalog', '--json', file);
    expect([code, stderr]).toEqual([1, '']);
    const refused_lines = [{ line: 2, key: 'P', reason: expect.stringContaining('price') }];
    expect(JSON.parse(stdout)).toMatchObject({ refused: 1, refused_lines });
  });
});

describe('for people', () => {
  it('states what is wrong with the arguments, and where the help is', async () => {
    for (const [args, said] of [
      [
        ['shops', 'lst'],
        /^offizin: unknown command 'lst'\n\(Did you mean list\?\)\nHelp: offizin shops --help\n$/,
      ],
      [['listen', '--forward-to', 'localhost:8080'], /^offizin: --forward-to takes an address such as /],
      [
        ['listen', '--events', 'order_eaten'],
        /--events: there is no event order_eaten\. Events: order_status_updated, /,
      ],
      [['keys', 'show'], /^offizin: missing required argument 'id'\nHelp: offizin keys show --help\n$/],
      [
        ['listen', '--port', 'many'],
        /^offizin: --port takes a number from 0 to 65535, not many\nHelp: .*\n$/,
      ],
      [
        ['keys', 'create', 'A', '--expires', 'soon'],
        /^offizin: --expires: [^\n]+\n {2}request \S+\nHelp: .*\n$/,
      ],
      [['keys', 'list', '--api-key', ''], /^offizin: --api-key or OFFIZIN_API_KEY is empty.*\nHelp: .*\n$/],
      [
        ['keys', 'list', '--base-url', 'api'],
        /^offizin: --base-url or OFFIZIN_BASE_URL takes.*\nHelp: .*\n$/,
      ],
      [['keys', 'list', '--al'], /^offizin: unknown option '--al'.*\nHelp: offizin keys list --help\n$/s],
    ] as const) {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(said)]);
    }
    const { stderr } = await run('keys', 'show', '--json');
    const failure = { error: 'usage', message: "missing required argument 'id'" };
    expect(JSON.parse(stderr)).toEqual({ ...failure, help: 'offizin keys show --help' });
  });

  it('names the remedy', async () => {
    for (const [changed, said] of [
      [
        { OFFIZIN_API_KEY: 'ofz_org_wrong' },
        /\nName a key that is valid by --api-key or OFFIZIN_API_KEY\.\n/,
      ],
      [
        { OFFIZIN_BASE_URL: 'http://127.0.0.1:1' },
        /\nStart the installation, or name another one by --base-url\.\n/,
      ],
    ] as const) {
      const { code, stderr } = await commandLine.run(['shops', 'list'], { ...variables(), ...changed });
      expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
    }
    const alone = await commandLine.run(['organizations', 'list']);
    expect(alone.stderr).toMatch(/No stack runs on the data folder .* Start one with npm start\./);
  }, 60_000);

  it('prints a table in a terminal, in colour unless NO_COLOR is set', async () => {
    const main = join(checkoutRoot, 'dist', 'tools', 'offizin', 'main.js');
    const inTerminal = (more: Record<string, string>, args: string): string =>
      spawnSync('script', ['-qec', `${process.execPath} ${main} --data-dir ${folder} ${args}`, '/dev/null'], {
        env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...variables(), ...more },
        encoding: 'utf8',
      }).stdout;
    const coloured = inTerminal({}, 'shops list');
    expect(coloured).toContain('\u001b[1mshop_id');
    expect(coloured).toMatch(new RegExp(`\n${organization.shops[0].shopId}  \\S.*  true`));
    const plain = inTerminal({ NO_COLOR: '1' }, 'shops list');
    expect(plain).toBe(coloured.replaceAll(/\u001b\[\d+m/g, ''));
    expect(JSON.parse(inTerminal({}, 'shops list --json'))).toHaveProperty('data');
    const piped = await run('shops', 'list');
    expect([piped.stdout.includes('\u001b'), JSON.parse(piped.stdout)]).toEqual([false, expect.anything()]);
    const asText = await run('shops', 'list', '--no-json');
    expect(asText.stdout).toBe(plain.replaceAll('\r', ''));
  });

  it('lets no name from outside write to the terminal', async () => {
    await answerOf('keys', 'create', '--kind', 'int', 'Name\u001b[2J\nmore');
    const { stdout } = await run('keys', 'list', '--no-json');
    expect(stdout).toContain('Name\\u001b[2J\\u000amore');
    expect(stdout).not.toContain('\u001b');
  });

  it('lets no server write to the terminal', async () => {
    const escape = '\u001b[2J';
    const server = createServer((request, response) => {
      const token = { access_token: 'a.b.c', token_type: 'Bearer', expires_in: 3600, org_id: 'o', scope: '' };
      const key = { [`id${escape}`]: `1${escape}` };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url?.includes('/auth/token') ? token : key));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hostile = { ...variables(), OFFIZIN_BASE_URL: `http://127.0.0.1:${port}` };
    try {
      const args = ['keys', 'create', '--kind', 'int', 'n', '--no-json'];
      const { stdout } = await commandLine.run(args, hostile);
      expect(stdout).toBe('id\\u001b[2J  1\\u001b[2J\n');
    } finally {
      server.close();
    }
  });

  it('lets no text write to the terminal in smoke, either', () => {
    const main = join(checkoutRoot, 'dist', 'tools', 'smoke', 'main.js');
    const args = [main, '--data-dir', join(folder, 'none\u001b[2J')];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout + stderr).toContain('none\\u001b[2J');
    expect(stdout + stderr).not.toContain('\u001b');
  });

  it('tells its version', async () => {
    expect(await run('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});
