import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOrganizations } from '@offizin/contracts/people/organizations';
import { listStaffOf } from '@offizin/contracts/people/staff-operator';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { eventually } from '@offizin/testkit/eventually';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { placeOf, seedDemo } from '../demo/seed';
import { Platform } from '../offizin/platform';
import { type DemoOrganization, describeStack, writeDemoFile } from '../up/demo-file';

/** The guides of docs/integrate: their commands run word for word against a stack with the demo's organizations. */
let own: OwnStack;

beforeAll(async () => {
  own = await startOwnStack();
  const { stack } = own;
  writeDemoFile(stack.dataDir, describeStack(stack, await seedInSteps()));
}, 120_000);
afterAll(() => own.stop());

const LOST = ['shops', 'staff'] as const;

/** Every start is cancelled after its first new step; after the first shop and the first person, before they are recorded. */
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
      names.map((name) => ({ name, shops: 2, live_keys: 2 })),
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

const shell = (guide: string, terminal = ''): string =>
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

const inShell = (text: string): Ran => run('bash', ['-euo', 'pipefail'], text);

it('getting-started leads from the key to a verified event', async () => {
  const listening = inBackground(shell('getting-started.md', 'terminal 2'));
  try {
    await eventually('listen to have subscribed', () => listening.output().includes('Listening'), 60_000);
    const { status, output } = inShell(shell('getting-started.md'));
    expect([status, output]).toEqual([0, expect.stringContaining('"status":"awaiting_packing"')]);
    const id = /^order (\S+)$/m.exec(output)?.[1] ?? 'no order';
    await eventually('the event of the change', () => listening.output().includes(id), 20_000);
    expect(listening.output()).toContain('order_status_updated');
  } finally {
    await listening.stop();
  }
}, 120_000);

it('telemedicine-partner hands in, repeats and reads back', () => {
  const { status, output } = inShell(shell('telemedicine-partner.md'));
  const id = /^request (\S+)$/m.exec(output)?.[1] ?? 'no request';
  expect([status, output]).toEqual([0, expect.stringContaining('still one request')]);
  expect(output.split(`"id":"${id}"`)).toHaveLength(3);
  expect(output.trimEnd().endsWith('401')).toBe(true);
}, 60_000);

it('erp-sync imports, changes, follows, books stock and compares', () => {
  const { status, output } = inShell(shell('erp-sync.md'));
  expect([status, output]).toEqual([0, expect.stringContaining('received once')]);
  expect(output.split('\n').slice(0, 7)).toEqual([
    'created ',
    'created ',
    expect.stringMatching(/^error total_amount: /),
    'again unchanged',
    'again unchanged',
    'again error',
    // Of import-orders.
    '1',
  ]);
  expect(output).toMatch(/^updated\n4711\n\d+ events\n\d+ orders$/m);
  expect(output).toContain('\nunchanged \nerror not_found\n');
  const [head = '', rows] = output.trimEnd().split('\n').slice(-2);
  expect([head.includes('external_id'), rows]).toEqual([true, '1']);
}, 60_000);

/** The short pages: what the commands of each print. */
it.each<[guide: string, printed: RegExp]>([
  ['idempotency.md', /^201 \n201 true\n$/],
  ['limits.md', /^\d+ \d+ \d+\n400\n$/],
  ['pagination.md', /^\d pages, the last with \d+ orders\n0\ntrue\n[1-9]\d* products\n$/],
  ['sandbox.md', /^order_created\n204\nmade: ofz_org_…\n$/],
  ['security.md', /^\[ 'reports\.read' \]\n204\norders\.read\n$/],
])(
  '%s does what it says',
  (guide, printed) => {
    const { status, output } = inShell(shell(guide));
    expect([status, output]).toEqual([0, expect.stringMatching(printed)]);
  },
  60_000,
);

it.each([
  ['js', process.execPath, ['--input-type=module', '-']],
  ['python', 'python3', ['-']],
])(
  'the program in %s hands in a request',
  (language, program, args) => {
    const [text = ''] = blocksOf('telemedicine-partner.md').flatMap((block) =>
      block.language === language ? [block.text] : [],
    );
    const [variables = ''] = shell('telemedicine-partner.md').split('\nPDF=');
    const quoted = `${program} ${args.join(' ')} <<'PROGRAM'\n${text}PROGRAM\n`;
    const { status, output } = inShell(`${variables}\n${quoted}`);
    expect([status, output]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36} pending$/m)]);
  },
  60_000,
);

it('a typo in a command ends with an error that says what to do', () => {
  const typo = (right: string, wrong: string): string =>
    inShell(shell('getting-started.md').replace(right, wrong)).output;
  expect(typo('$API/orders?limit=1"', '$API/orders?limit=0"')).toContain('limit');
  expect(typo('"external_id"', '"external"')).toContain('external_id');
  expect(typo('"awaiting_packing"', '"confirmed"')).toContain('awaiting_packing');
}, 60_000);
