import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commitFindings } from './commit-rules';
import { findings, readTree } from './main';
import { TreeFile } from './rule';
import { refusedWords } from './word-rules';

// Samples carry a ¦ in the middle of what is refused, so that this file does not break the rules it shows.
const whole = (sample: string): string => sample.replaceAll('¦', '');

const root = '/srv/checkouts/offizin';

/** What tidy reports of one file, as `rule:line`; the rules about the whole tree are left out. */
function rulesMet(file: string, text: string): string[] {
  return findings([{ path: file, text: whole(text) }], root)
    .filter(({ rule }) => !['app-shape', 'project-file', 'aliases'].includes(rule))
    .map(({ rule, line }) => `${rule}:${line}`);
}

/** What one rule reports of a tree of files, as paths. */
function pathsMet(rule: string, files: TreeFile[]): string[] {
  return findings(files, root)
    .filter((finding) => finding.rule === rule)
    .map((finding) => finding.path);
}

const ONE_LINE = 'export {};\n';
const PAUSE = 'await new Pro¦mise((resolve) => setTimeout(resolve, 5));\n';
const LOOP = `while (!done()) {\n  if (late()) throw new Error('late');\n  ${PAUSE}}\n`;
const DISABLE = '// es¦lint-disable-next-line eqeqeq';

/** One sentence for each refused word; the spec below compares them with the list. */
const REFUSED = [
  'All start at on¦ce.',
  'The list is drawn an¦ew.',
  'The broker is aw¦ay.',
  'The callback hea¦rs of it.',
  'The broker say¦s that.',
  "it('say¦s why');",
  'This is no¦ failure.',
  'What the person has had before the ey¦es.',
  'Events whom nob¦ody is told.',
  'Three kinds of not¦hing.',
  'A source may be called li¦ke another.',
  'The other call gives wa¦y.',
  'It hands o¦n the slot.',
  'The token stands i¦n the address.',
  'Who¦ever sends it.',
  'interface Man¦ner {}',
  'The encrypted text is sea¦led.',
  'The worker cla¦ims deliveries.',
  'The ma¦rked rows of the outbox.',
];

/** What each rule refuses, in a file of this path; on the first line unless the rule names another. */
const WRONG: Record<string, [file: string, text: string][]> = {
  'readme-length:81': [['README.md', 'text\n'.repeat(81)]],
  'empty-name:1': [
    ...['index', 'common', 'utils', 'helpers', 'shared', 'misc', 'base', 'types', 'constants'].flatMap(
      (name): [string, string][] => [
        [`libs/bus/${name}.ts`, ONE_LINE],
        [`libs/bus/${name}/reply.ts`, ONE_LINE],
      ],
    ),
    ['apps/console/requests/utils.tsx', ONE_LINE],
  ],
  'layer:1': ['service', 'controller', 'repository', 'mapper', 'interface'].map((kind) => [
    `libs/bus/reply.${kind}.ts`,
    ONE_LINE,
  ]),
  'feature-folder:1': [
    'order-core/audit/orders.dto.ts',
    'order-core/orders/orders/orders.dto.ts',
    'order-core/orders/orders/rules/status.ts',
    'order-core/orders/orders/sql/old/upsert.ts',
    'console/requests/requests.store.ts',
    'console/requests/requests.handlers.tsx',
    'console/requests/review/rules/flags.ts',
  ].map((name) => [`apps/${name}`, ONE_LINE]),
  'one-module:1': [['apps/gateway/orders.module.ts', ONE_LINE]],
  'colour:1': [
    '  color: #f¦ff;',
    '  background: rgb(1 2 3);',
    '  border: 1px solid oklch(0.5 0 0);',
    '  color: white;',
    '  fill: light-dark(var(--ink), var(--paper));',
    '<path fill="red" />',
    "const style = { color: 'red' };",
  ].flatMap((line): [string, string][] => [
    ['apps/console/controls/button.module.css', `${line}\n`],
    ['apps/console/requests/review.tsx', `${line}\n`],
  ]),
  'raw-html:1': [
    'dangerously¦SetInnerHTML={{ __html }}',
    'element.inner¦HTML = text',
    'element.insertAdjacent¦HTML(at, x)',
  ].map((text) => ['apps/console/requests/review/review.tsx', `${text}\n`]),
  'own-heading:1': [
    ['apps/console/reports/reports.page.tsx', '<h¦1>{texts.title}</h1>\n'],
    ['apps/console/audit/audit-filters.tsx', '<h¦1 className={css.title}>\n'],
  ],
  'open-mark:2': ['TO¦DO', 'FIX¦ME', 'X¦XX', 'HA¦CK'].map((mark) => [
    'libs/bus/reply.ts',
    `const a = 1;\n// ${mark}: later\n`,
  ]),
  'open-mark:1': [['docs/integrate/errors.md', 'TO¦DO\n']],
  'fixed-sleep:1': [
    'await sle¦ep(100)',
    'await new Pro¦mise((resolve) => setTimeout(resolve, 100))',
    'await new Pro¦mise<void>((r) =>\n setTimeout(r, 100))',
    'await set¦Timeout(100)',
  ].map((call) => ['libs/bus/reply.spec.ts', `${call};\n`]),
  'fixed-sleep:7': [['libs/bus/reply.spec.ts', `${LOOP}\nawait ready();\n${PAUSE}`]],
  'unexplained-disable:1': [['libs/bus/reply.ts', `${DISABLE}\n`]],
  'machine-path:1': [
    `${root}/dist`,
    '/srv/checkouts/other',
    '/home¦/ada/code',
    '/Users¦/ada',
    '/ro¦ot/.npm',
  ].map((place) => ['docs/operate/runbook.md', `Run it in ${place}\n`]),
  'refused-word:1': [
    ...REFUSED.map((text): [string, string] => ['libs/bus/reply.ts', `// ${text}\n`]),
    ['apps/order-core/db/0001-schema.sql', '-- It ends at on¦ce.\n'],
    ['docs/contract.md', 'It ends at\non¦ce.\n'],
    ['apps/console/requests/review/review.tsx', '/* It begins an¦ew. */\n'],
  ],
  'refused-word:2': [['libs/bus/reply.ts', '/**\n * All start at\n * on¦ce.\n */\n']],
  'temporary-path:1': [['libs/bus/reply.ts', "write('/¦tmp/x');\n"]],
  'exact-version:3': ['^1.2.3', '~1.2.3', '1.x', '*', 'latest', 'github:a/b'].map((version) => [
    'package.json',
    `{\n  "dependencies": {\n    "nats": "${version}"\n  }\n}\n`,
  ]),
  'lock-without-hosts:1': [
    ['package-lock.json', '{ "packages": { "a": { "resolved": "https://registry.example.org/a.tgz" } } }'],
  ],
  'project-tags:1': [
    ['libs/bus/project.json', '{ "tags": ["type:lib"] }'],
    ['apps/gateway/project.json', '{}'],
    ['apps/reference/project.json', '{ "tags": ["type:app"] }'],
    ['tools/project.json', '{}'],
  ],
};

/** Near to what is refused, and right. */
const RIGHT: [file: string, text: string][] = [
  ['README.md', 'text\n'.repeat(80)],
  ['clients/typescript/src/generated/README.md', 'text\n'.repeat(81)],
  ['deploy/chart/examples/production.yaml', 'kind: Deployment\n'],
  ...['orders.handlers', 'orders.store', 'orders.guard', 'sql/upsert', 'order-status', 'order-status.spec']
    .concat('orders.store.db.spec')
    .flatMap((name) => [`audit/${name}`, `orders/orders/${name}`])
    .map((name): [string, string] => [`apps/order-core/${name}.ts`, ONE_LINE]),
  ['apps/order-core/db/order.entity.ts', ONE_LINE],
  ['apps/gateway/gateway.module.ts', ONE_LINE],
  ...['requests.page.tsx', 'requests.calls.ts', 'requests.de.ts', 'flags.ts', 'flags.spec.ts'].map(
    (name): [string, string] => [`apps/console/requests/review/${name}`, ONE_LINE],
  ),
  ['apps/console/theme.css', '  color: white;\n'],
  ['libs/bus/reply.ts', '  color: white;\n'],
  [
    'apps/console/controls/key.module.css',
    '  color: var(--ink);\n  border-color: color-mix(in oklab, currentColor 35%, transparent);\n',
  ],
  [
    'apps/console/frame/shell.tsx',
    '<a href="#content" />;\n// see #2080 of the trial\nif (wasRead) keepWhiteSpace();\n',
  ],
  ['libs/bus/reply.ts', 'await set¦Timeout(100);\n'],
  [
    'libs/bus/reply.spec.ts',
    'await waitFor(() => done);\nawait new Promise((_, reject) => setTimeout(() => reject(late), 100));\n',
  ],
  ['libs/bus/reply.ts', '// There is no file, it is no longer here, and the log says why.\n'],
  ['deploy/nats/nats.conf', '# All at on¦ce\n'],
  ['libs/bus/reply.spec.ts', LOOP],
  ['libs/bus/reply.ts', `${DISABLE} -- the driver compares so itself\n`],
  ['deploy/image/Dockerfile', 'WORKDIR /home/node/offizin\nsee https://example.org/srv/checkouts/x\n'],
  ['package.json', '{ "devDependencies": { "a": "1.2.3", "b": "18.4.0-beta.17", "c": "npm:@d/e@1.2.3" } }'],
  ['libs/bus/project.json', '{ "tags": ["type:lib", "lib:bus"] }'],
  ['apps/reference/project.json', '{ "tags": ["type:reference"] }'],
  ['apps/console/project.json', '{ "tags": ["type:console"] }'],
];

const cases = [
  ...Object.entries(WRONG).flatMap(([rule, examples]) =>
    examples.map(([file, text]) => ({ file, text, met: [rule] })),
  ),
  ...RIGHT.map(([file, text]) => ({ file, text, met: [] })),
];

it.each(cases)('finds $met in $file: $text', ({ file, text, met }) => {
  expect(rulesMet(file, text)).toEqual(met);
});

it.each(refusedWords)('has one sentence that $refused refuses', ({ refused }) => {
  expect(REFUSED.map(whole).filter((text) => refused.test(text))).toHaveLength(1);
});

it.each([
  ['gateway', ['config.ts', 'gateway.module.ts', 'main.ts']],
  ['reference', ['index.html', 'main.ts', 'page.css', 'tsconfig.json', 'vite.config.mjs']],
  ['console', ['index.html', 'main.tsx', 'routes.tsx', 'theme.css', 'tsconfig.json', 'vite.config.mjs']],
])('misses the files that the app %s is made of', (app, files) => {
  const tree: TreeFile[] = [{ path: `apps/${app}/project.json`, text: '{}' }];
  expect(pathsMet('app-shape', tree)).toEqual(files.map((name) => `apps/${app}/${name}`));
});

it('misses the project file of a library', () => {
  expect(pathsMet('project-file', [{ path: 'libs/bus/reply.ts', text: '' }])).toEqual([
    'libs/bus/project.json',
  ]);
});

it('refuses a library that the compiler knows by its alias and the build does not', () => {
  const paths = '{ "@offizin/bus/*": ["./libs/bus/*"] }';
  const tree = (build: string): TreeFile[] => [
    { path: 'libs/bus/project.json', text: '{ "tags": ["type:lib", "lib:bus"] }' },
    { path: 'tsconfig.base.json', text: `{ "compilerOptions": { "paths": ${paths} } }` },
    { path: '.swcrc', text: `{ "jsc": { "paths": ${build} } }` },
  ];
  expect(pathsMet('aliases', tree(paths))).toEqual([]);
  expect(pathsMet('aliases', tree('{}'))).toEqual(['tsconfig.base.json']);
});

describe('the tree', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidy-'));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
  });

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }

  it('is what git would add: new files yes, ignored and deleted ones and pictures no', () => {
    write('.gitignore', 'dist/\n');
    write('libs/bus/reply.ts', ONE_LINE);
    write('libs/bus/gone.ts', ONE_LINE);
    write('dist/libs/bus/reply.js', '');
    write('docs/flow.png', 'PNG\0\0');
    execFileSync('git', ['add', 'libs/bus/gone.ts'], { cwd: folder });
    rmSync(path.join(folder, 'libs/bus/gone.ts'));
    expect(readTree(folder).map((file) => file.path)).toEqual(['.gitignore', 'libs/bus/reply.ts']);
  });
});

it('refuses commits without an area, and with a subject of more than 72 characters', () => {
  const met = (subject: string): number => commitFindings([{ hash: 'a1b2c3', subject }]).length;
  expect(met(`http-edge: ${'x'.repeat(61)}`)).toBe(0);
  expect(met(`http-edge: ${'x'.repeat(62)}`)).toBe(1);
  expect(met('order-core, catalog: split the statement')).toBe(0);
  expect(met('split the statement')).toBe(1);
  expect(met('Bus: split the statement')).toBe(1);
});
