import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOrganizations } from '@offizin/contracts/people/organizations';
import { listStaffOf } from '@offizin/contracts/people/staff-operator';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { installDebianPackages, mayInstallPackages } from '@offizin/local-stack/program-path';
import { eventually } from '@offizin/testkit/eventually';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { CallbackReceiver } from '@offizin/testkit/webhook-receiver';
import { OffizinConnector } from '../../clients/typescript/src/connector';
import { placeOf, seedDemo } from '../demo/seed';
import { Platform } from '../offizin/platform';
import { type DemoOrganization, describeStack, writeDemoFile } from '../up/demo-file';

/**
 * The guides of docs/integrate: their commands run word for word against a stack with the demo's organizations, in bash
 * and then once more in zsh.
 */
let own: OwnStack;
let demo: DemoOrganization[];
const SHELLS = ['bash', 'zsh'] as const;
type Shell = (typeof SHELLS)[number];

beforeAll(async () => {
  if (!hasZsh() && mayInstallPackages()) await installDebianPackages('zsh');
  own = await startOwnStack();
  const { stack } = own;
  demo = await seedInSteps();
  writeDemoFile(stack.dataDir, describeStack(stack, demo));
}, 240_000);
afterAll(() => own.stop());

function hasZsh(): boolean {
  return spawnSync('zsh', ['--version']).status === 0;
}

const LOST = ['shops', 'staff'] as const;

/**
 * Every start is cancelled after its first new step; after the first shop and the first person, before they are
 * recorded.
 */
async function seedInSteps(): Promise<DemoOrganization[]> {
  const place = placeOf(own.stack);
  const file = join(place.dataDir, 'demo-seed.json');
  const lost = new Set<string>();
  for (;;) {
    const cancelled = await seedDemo(place, AbortSignal.abort()).catch((error: unknown) => error);
    if (Array.isArray(cancelled)) return cancelled as DemoOrganization[];
    expect(cancelled).toMatchObject({ name: 'AbortError' });
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as DemoOrganization[];
    for (const key of LOST)
      if (!lost.has(key) && recorded[0]?.[key].pop()) {
        lost.add(key);
        writeFileSync(file, JSON.stringify(recorded));
      }
  }
}

it('the demo is whole and nothing is there twice, however often its start was cancelled', async () => {
  const { operator, dataDir } = placeOf(own.stack);
  const platform = await Platform.connect(operator);
  try {
    const { data } = await platform.call(listOrganizations, {});
    const names = ['Sonnen-Apotheke', 'Linden-Apotheke'];
    expect(data.map(({ name, shops, live_keys }) => ({ name, shops, live_keys }))).toEqual(
      names.map((name) => ({ name, shops: 3, live_keys: 3 })),
    );
    for (const { org_id } of data)
      expect((await platform.call(listStaffOf, { org_id })).data).toHaveLength(4);
  } finally {
    await platform.close();
  }
  expect(existsSync(join(dataDir, 'demo-seed.json'))).toBe(false);
  expect(await seedDemo(placeOf(own.stack))).toMatchObject([
    { staff: { length: 4 } },
    { shops: { length: 2 } },
  ]);
});

it('the client reaches the test shop of the first organization by its name', async () => {
  const { shop_url: shopUrl = '', integration_key: integrationKey = '' } = demo[0]?.test_shop ?? {};
  const connector = new OffizinConnector({ shopUrl, integrationKey });
  const payload = { customer_name: 'E', items: [{ name: 'Tee', quantity: 1, price: 3 }] };
  expect(await connector.submit({ external_reference: 'by-name', payload })).toMatchObject({ test: true });
});

interface Block {
  language: string;
  /** Behind the language: the terminal, where it is not the first free one. */
  terminal: string;
  text: string;
}

function blocksOf(guide: string): Block[] {
  const page = readFileSync(join(checkoutRoot, 'docs/integrate', guide), 'utf8');
  return [...page.matchAll(/^```(\w+) ?(.*)\n([^]*?)^```$/gm)].map(
    ([, language = '', terminal = '', text = '']) => ({ language, terminal, text }),
  );
}

const commands = (guide: string, terminal = ''): string =>
  blocksOf(guide)
    .filter((block) => block.language === 'sh' && block.terminal === terminal)
    .map(({ text }) => text)
    .join('\n');

/** A command that hangs ends the test, not the run. */
const LIMIT_MS = 50_000;

interface Ran {
  status: number | null;
  output: string;
}

const environment = (): NodeJS.ProcessEnv => ({ ...process.env, OFFIZIN_DATA_DIR: own.stack.dataDir });

/** As typed into one terminal, except that the first failure ends it. */
function run(program: string, args: string[], input: string): Ran {
  const options = { cwd: checkoutRoot, env: environment(), input, timeout: LIMIT_MS };
  const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** Another terminal; `stop` is its Ctrl-C. */
function inBackground(text: string): { output: () => string; stop: () => Promise<unknown> } {
  const child = spawn('bash', ['-c', text], { cwd: checkoutRoot, env: environment(), detached: true });
  let heard = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  const ended = once(child, 'close');
  const stop = (): Promise<unknown> => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    return ended;
  };
  return { output: () => heard, stop };
}

function inShell(text: string, shell: Shell = 'bash'): Ran {
  if (shell === 'zsh' && !hasZsh()) console.warn('no zsh on this machine: bash runs the commands again');
  return run(hasZsh() ? shell : 'bash', ['-euo', 'pipefail'], text);
}

it.each(SHELLS)(
  'getting-started leads from the key to a verified event, in %s',
  async (shell) => {
    const listening = inBackground(commands('getting-started.md', 'terminal 2'));
    try {
      await eventually('listen to have subscribed', () => listening.output().includes('Listening'), 60_000);
      const { status, output } = inShell(commands('getting-started.md'), shell);
      expect([status, output]).toEqual([0, expect.stringContaining('"status":"awaiting_packing"')]);
      for (const said of [/^unauthorized: .+$/m, /^no token$/m]) expect(output).toMatch(said);
      const id = /^order (\S+)$/m.exec(output)?.[1] ?? 'no order';
      await eventually('the event of the change', () => listening.output().includes(id), 20_000);
      expect(listening.output()).toContain('order_status_updated');
    } finally {
      await listening.stop();
    }
  },
  120_000,
);

/** A terminal into which block after block is typed. */
function openTerminal(shell: Shell): {
  output: () => string;
  type: (text: string) => Promise<void>;
  close: () => Promise<unknown>;
} {
  const options = { cwd: checkoutRoot, env: environment(), timeout: LIMIT_MS };
  const child = spawn(hasZsh() ? shell : 'bash', ['-euo', 'pipefail'], options);
  let heard = '';
  let typed = 0;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  const type = async (text: string): Promise<void> => {
    const done = `typed ${++typed}\n`;
    child.stdin.write(`${text}\nprintf '${done.trim()}\\n'\n`);
    const isOver = await eventually('the commands to end', () => {
      return heard.includes(done) ? 'done' : child.exitCode === null ? null : 'failed';
    });
    if (isOver === 'failed') throw new Error(heard);
  };
  const close = (): Promise<unknown> => {
    child.stdin.end();
    return child.exitCode === null ? once(child, 'close') : Promise.resolve();
  };
  return { output: () => heard.replaceAll(/^typed \d+\n/gm, ''), type, close };
}

const WITHDRAWAL = 'withdrawal';
/** What a partner does in an afternoon, by words of the commands. */
const AFTERNOON = {
  'first request': 'REQUEST_ID=$(submit',
  'safe repeat': 'still one request',
  'read back': '?external_reference=$VISIT',
  'callback set': '-X PUT "$SHOP_URL/api/v1/callback"',
  'new version': 'change PUT ""',
  'later document': 'change POST /documents',
  'accepted offer': '/offer/accept',
  [WITHDRAWAL]: 'change POST /cancel',
  assortment: '/api/v1/products',
};

it.each(SHELLS)(
  'telemedicine-partner leads through an afternoon of a partner, and its callback is notified of it, in %s',
  async (shell) => {
    const receiver = await CallbackReceiver.start();
    const terminal = openTerminal(shell);
    const steps = new Map<string, number>();
    const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const beganMs = performance.now();
      await work();
      steps.set(name, Math.round(performance.now() - beganMs));
    };
    const blocks = blocksOf('telemedicine-partner.md').filter(({ language }) => language === 'sh');
    const requestId = (): string => /^request (\S+)$/m.exec(terminal.output())?.[1] ?? 'no request';
    for (const { text } of blocks) {
      const found = Object.entries(AFTERNOON).find(([, words]) => text.includes(words));
      const name = found?.[0] ?? 'other commands';
      const typing = timed(name, () =>
        terminal.type(text.replace('http://127.0.0.1:8080/offizin', receiver.url)),
      );
      if (name === WITHDRAWAL)
        await timed('until its callback', () => receiver.waitFor('order_request_cancelled', requestId()));
      await typing;
    }
    await terminal.close();
    await receiver.close();
    const output = terminal.output();
    const id = requestId();
    expect(output).toMatch(/^submitted read_back\b/m);
    expect(output).toContain('still one request\n');
    expect(output.split(`"id":"${id}"`)).toHaveLength(3);
    expect(output).toMatch(/pending\ncancelled\n\{"data":\[\{"p1_id":.*"stock":"\w+".*\}\n$/);
    for (const name of [...Object.keys(AFTERNOON), 'until its callback'])
      expect([...steps.keys()]).toContain(name);
    console.info([...steps].map(([name, ms]) => `${shell}: ${name} ${ms} ms`).join('\n'));
  },
  60_000,
);

it.each(SHELLS)(
  'erp-sync imports, changes, follows, books stock and compares, in %s',
  (shell) => {
    const { status, output } = inShell(commands('erp-sync.md'), shell);
    const outcome = shell === 'bash' ? 'created ' : 'unchanged ';
    expect([status, output]).toEqual([0, expect.stringContaining('received once')]);
    expect(output.split('\n').slice(0, 6)).toEqual([
      outcome,
      outcome,
      expect.stringMatching(/^error total_amount: /),
      'again unchanged',
      'again unchanged',
      'again error',
    ]);
    // The second shell sends what is stored.
    const change = shell === 'bash' ? 'updated' : 'unchanged';
    expect(output).toMatch(
      new RegExp(`^${change}\\n4711\\n00340434161094042557\\n\\d+ events\\n\\d+ orders$`, 'm'),
    );
    expect(output).toContain('\nunchanged \nerror not_found\n');
    expect(output).toMatch(/\bexternal_id\b.*\r?\n *1$/m);
  },
  60_000,
);

/** The short pages: what the commands of each print. */
it.each<[guide: string, printed: RegExp]>([
  ['idempotency.md', /^(HTTP\/1\.1 201 Created\r\n){2}idempotent-replayed: true\r\n$/i],
  ['limits.md', /^(?:ratelimit-\w+: \d+\r\n){3}400\n$/i],
  ['pagination.md', /^\d pages, the last with \d+ orders\n0\ntrue\n[1-9]\d* products\n$/],
  ['sandbox.md', /^order_created\n204\nmade: ofz_org_…\n$/],
  [
    'security.md',
    /^\[ 'reports\.read' \]\n204\norders\.read\nrejected\ngenuine: \S+ was rejected by key:\S+ at \S+\n0 documents, \d+ entries/,
  ],
])(
  '%s works as written',
  (guide, printed) => {
    for (const shell of SHELLS) {
      const { status, output } = inShell(commands(guide), shell);
      expect([shell, status, output]).toEqual([shell, 0, expect.stringMatching(printed)]);
    }
  },
  60_000,
);

it('the program in Python hands in a request', () => {
  const [program] = blocksOf('telemedicine-partner.md').filter(({ language }) => language === 'python');
  const [variables = ''] = commands('telemedicine-partner.md').split('\nPDF=');
  const { status, output } = inShell(`${variables}\npython3 - <<'PROGRAM'\n${program?.text ?? ''}PROGRAM\n`);
  expect([status, output]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36} pending$/m)]);
}, 60_000);

it('a typo in a command ends with an error that states what to do', () => {
  const typo = (right: string, wrong: string): string =>
    inShell(commands('getting-started.md').replace(right, wrong)).output;
  expect(typo('$API/orders?limit=1"', '$API/orders?limit=0"')).toContain('limit');
  expect(typo('"external_id"', '"external"')).toContain('external_id');
  expect(typo('"awaiting_packing"', '"confirmed"')).toContain('awaiting_packing');
}, 60_000);

it.each(['getting-started', 'erp-sync', 'idempotency', 'limits', 'pagination', 'sandbox', 'security'])(
  '%s takes curl 7.76, which has neither %%header nor --json',
  (guide) => expect(commands(`${guide}.md`)).not.toMatch(/%header|curl.* --json/),
);
