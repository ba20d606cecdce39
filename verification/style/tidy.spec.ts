import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commitFindings } from './commit-rules';
import { findings, readTree } from './main';
import { TreeFile } from './rule';

// Samples carry a ¦ in the middle of what is refused, so that this file does not break the rules it shows.
const whole = (sample: string): string => sample.replaceAll('¦', '');

const root = '/srv/checkouts/offizin';

/** What tidy says about one file, as `rule:line`; the rules about the whole tree are left out. */
function rulesMet(file: string, text: string): string[] {
  return findings([{ path: file, text: whole(text) }], root)
    .filter(({ rule }) => !['app-shape', 'project-file', 'aliases'].includes(rule))
    .map(({ rule, line }) => `${rule}:${line}`);
}

/** What one rule says about a tree of files, as paths. */
function pathsMet(rule: string, files: TreeFile[]): string[] {
  return findings(files, root)
    .filter((finding) => finding.rule === rule)
    .map((finding) => finding.path);
}

const lines = (count: number): string => 'export {};\n'.repeat(count);

describe('sizes', () => {
  it('leaves generated files alone', () => {
    expect(rulesMet('clients/typescript/src/generated/README.md', 'text\n'.repeat(81))).toEqual([]);
  });

  it('refuses a README of more than 80 lines', () => {
    expect(rulesMet('README.md', 'text\n'.repeat(80))).toEqual([]);
    expect(rulesMet('README.md', 'text\n'.repeat(81))).toEqual(['readme-length:81']);
  });
});

describe('names', () => {
  it.each(['index', 'common', 'utils', 'helpers', 'shared', 'misc', 'base', 'types', 'constants'])(
    'refuses "%s" as a file and as a folder',
    (name) => {
      expect(rulesMet(`libs/bus/${name}.ts`, lines(1))).toEqual(['empty-name:1']);
      expect(rulesMet(`libs/bus/${name}/reply.ts`, lines(1))).toEqual(['empty-name:1']);
    },
  );

  it('takes the names outside the code, such as an overlay of Kustomize, as they are', () => {
    expect(rulesMet('deploy/kubernetes/base/gateway.yaml', 'kind: Deployment\n')).toEqual([]);
  });

  it.each(['service', 'controller', 'repository', 'mapper', 'interface'])('refuses *.%s.ts', (kind) => {
    expect(rulesMet(`libs/bus/reply.${kind}.ts`, lines(1))).toEqual(['layer:1']);
  });

  it('lets a feature folder, and a room of an area, hold handlers, stores, rules and specs only', () => {
    for (const name of [
      'orders.handlers',
      'orders.store',
      'orders.guard',
      'sql/upsert',
      'order-status',
      'order-status.spec',
      'orders.store.db.spec',
    ])
      for (const folder of ['audit', 'orders/orders'])
        expect(rulesMet(`apps/order-core/${folder}/${name}.ts`, lines(1))).toEqual([]);
    for (const folder of ['audit', 'orders/orders'])
      expect(rulesMet(`apps/order-core/${folder}/orders.dto.ts`, lines(1))).toEqual(['feature-folder:1']);
    expect(rulesMet('apps/order-core/orders/orders/rules/status.ts', lines(1))).toEqual(['feature-folder:1']);
    expect(rulesMet('apps/order-core/orders/orders/sql/old/upsert.ts', lines(1))).toEqual([
      'feature-folder:1',
    ]);
    expect(rulesMet('apps/order-core/db/order.entity.ts', lines(1))).toEqual([]);
  });

  it('refuses a second module in an app', () => {
    expect(rulesMet('apps/gateway/gateway.module.ts', lines(1))).toEqual([]);
    expect(rulesMet('apps/gateway/orders.module.ts', lines(1))).toEqual(['one-module:1']);
  });

  it('misses the entry point, the module and the configuration of an app', () => {
    const app: TreeFile[] = [{ path: 'apps/gateway/project.json', text: '{}' }];
    expect(pathsMet('app-shape', app)).toEqual([
      'apps/gateway/config.ts',
      'apps/gateway/gateway.module.ts',
      'apps/gateway/main.ts',
    ]);
  });
});

describe('the reference page', () => {
  it('is made of its own files, and has its own tag', () => {
    const path = 'apps/reference/project.json';
    const app: TreeFile[] = [{ path, text: '{ "tags": ["type:reference"] }' }];
    expect(pathsMet('project-tags', app)).toEqual([]);
    expect(pathsMet('project-tags', [{ path, text: '{ "tags": ["type:app"] }' }])).toEqual([path]);
    expect(pathsMet('app-shape', app)).toEqual(
      ['index.html', 'main.ts', 'page.css', 'tsconfig.json', 'vite.config.mjs'].map(
        (name) => `apps/reference/${name}`,
      ),
    );
  });
});

describe('the console', () => {
  it('has pages and calls instead of handlers and stores', () => {
    for (const name of [
      'requests.page.tsx',
      'requests.calls.ts',
      'requests.de.ts',
      'flags.ts',
      'flags.spec.ts',
    ])
      expect(rulesMet(`apps/console/requests/review/${name}`, lines(1))).toEqual([]);
    for (const name of ['requests.store.ts', 'requests.handlers.tsx', 'review/rules/flags.ts'])
      expect(rulesMet(`apps/console/requests/${name}`, lines(1))).toEqual(['feature-folder:1']);
    expect(rulesMet('apps/console/requests/requests.service.tsx', lines(1))).toContain('layer:1');
    expect(rulesMet('apps/console/requests/utils.tsx', lines(1))).toEqual(['empty-name:1']);
  });

  it('is made of its own files, and has its own tag', () => {
    const app: TreeFile[] = [{ path: 'apps/console/project.json', text: '{ "tags": ["type:console"] }' }];
    expect(pathsMet('project-tags', app)).toEqual([]);
    expect(pathsMet('app-shape', app)).toEqual(
      ['index.html', 'main.tsx', 'routes.tsx', 'theme.css', 'tsconfig.json', 'vite.config.mjs'].map(
        (name) => `apps/console/${name}`,
      ),
    );
  });

  it.each([
    '  color: #f¦ff;',
    '  background: rgb(1 2 3);',
    '  border: 1px solid oklch(0.5 0 0);',
    '  color: white;',
    '  fill: light-dark(var(--ink), var(--paper));',
    '<path fill="red" />',
    "const style = { color: 'red' };",
  ])('names no colour outside of its theme: %s', (line) => {
    for (const file of ['controls/button.module.css', 'requests/review.tsx'])
      expect(rulesMet(`apps/console/${file}`, `${line}\n`)).toEqual(['colour:1']);
    expect(rulesMet('apps/console/theme.css', `${line}\n`)).toEqual([]);
    expect(rulesMet('libs/bus/reply.ts', `${line}\n`)).toEqual([]);
  });

  it('takes the names of the theme, and what only looks like a colour', () => {
    const css = '  color: var(--ink);\n  border-color: color-mix(in oklab, currentColor 35%, transparent);\n';
    expect(rulesMet('apps/console/controls/key.module.css', css)).toEqual([]);
    const page = `<a href="#content" />;\n// see #2080 of the trial\nif (wasRead) keepWhiteSpace();\n`;
    expect(rulesMet('apps/console/frame/shell.tsx', page)).toEqual([]);
  });

  it.each([
    'dangerously¦SetInnerHTML={{ __html }}',
    'element.inner¦HTML = text',
    'element.insertAdjacent¦HTML(at, x)',
  ])('writes no HTML: %s', (text) =>
    expect(rulesMet('apps/console/requests/review/review.tsx', `${text}\n`)).toEqual(['raw-html:1']),
  );
});

describe('text', () => {
  it.each(['TO¦DO', 'FIX¦ME', 'X¦XX', 'HA¦CK'])('refuses the mark %s', (mark) => {
    expect(rulesMet('libs/bus/reply.ts', `const a = 1;\n// ${mark}: later\n`)).toEqual(['open-mark:2']);
    expect(rulesMet('docs/integrate/errors.md', `${mark}\n`)).toEqual(['open-mark:1']);
  });

  it.each([
    'await sle¦ep(100)',
    `await new Pro¦mise((resolve) => setTimeout(resolve, 100))`,
    `await new Pro¦mise<void>((r) =>\n setTimeout(r, 100))`,
    'await set¦Timeout(100)',
  ])('refuses the fixed sleep "%s" in a spec', (call) => {
    expect(rulesMet('libs/bus/reply.spec.ts', `${call};\n`)).toEqual(['fixed-sleep:1']);
    expect(rulesMet('libs/bus/reply.ts', `${call};\n`)).toEqual([]);
  });

  it('lets a spec wait with a deadline', () => {
    const text = `await waitFor(() => done);\nawait new Promise((_, reject) => setTimeout(() => reject(late), 100));\n`;
    expect(rulesMet('libs/bus/reply.spec.ts', text)).toEqual([]);
  });

  it('lets a spec pause between two looks at a condition, and nowhere after', () => {
    const pause = 'await new Pro¦mise((resolve) => setTimeout(resolve, 5));\n';
    const loop = `while (!done()) {\n  if (late()) throw new Error('late');\n  ${pause}}\n`;
    expect(rulesMet('libs/bus/reply.spec.ts', loop)).toEqual([]);
    expect(rulesMet('libs/bus/reply.spec.ts', `${loop}\nawait ready();\n${pause}`)).toEqual([
      'fixed-sleep:7',
    ]);
  });

  it('refuses a disabled rule without a reason', () => {
    const disable = `// es¦lint-disable-next-line eqeqeq`;
    expect(rulesMet('libs/bus/reply.ts', `${disable}\n`)).toEqual(['unexplained-disable:1']);
    expect(rulesMet('libs/bus/reply.ts', `${disable} -- the driver compares so itself\n`)).toEqual([]);
  });

  it.each([`${root}/dist`, '/srv/checkouts/other', `/home¦/ada/code`, `/Users¦/ada`, `/ro¦ot/.npm`])(
    'refuses the path %s of one machine',
    (place) =>
      expect(rulesMet('docs/operate/runbook.md', `Run it in ${place}\n`)).toEqual(['machine-path:1']),
  );

  it('lets paths of a container and of a URL stand', () => {
    const text = 'WORKDIR /home/node/offizin\nsee https://example.org/srv/checkouts/x\n';
    expect(rulesMet('deploy/image/Dockerfile', text)).toEqual([]);
  });

  it('refuses a fixed temporary folder in code', () => {
    expect(rulesMet('libs/bus/reply.ts', `write('/¦tmp/x');\n`)).toEqual(['temporary-path:1']);
  });
});

describe('manifests', () => {
  it.each(['^1.2.3', '~1.2.3', '1.x', '*', 'latest', 'github:a/b'])('refuses the version %s', (version) => {
    const text = `{\n  "dependencies": {\n    "nats": "${version}"\n  }\n}\n`;
    expect(rulesMet('package.json', text)).toEqual(['exact-version:3']);
  });

  it('lets exact versions and pre-releases stand', () => {
    expect(
      rulesMet(
        'package.json',
        '{ "devDependencies": { "a": "1.2.3", "b": "18.4.0-beta.17", "c": "npm:@d/e@1.2.3" } }',
      ),
    ).toEqual([]);
  });

  it('refuses a lock file that names hosts', () => {
    const text = '{ "packages": { "a": { "resolved": "https://registry.example.org/a.tgz" } } }';
    expect(rulesMet('package-lock.json', text)).toEqual(['lock-without-hosts:1']);
  });

  it('refuses a project without the tags that lint goes by', () => {
    expect(rulesMet('libs/bus/project.json', '{ "tags": ["type:lib", "lib:bus"] }')).toEqual([]);
    expect(rulesMet('libs/bus/project.json', '{ "tags": ["type:lib"] }')).toEqual(['project-tags:1']);
    expect(rulesMet('apps/gateway/project.json', '{}')).toEqual(['project-tags:1']);
    expect(rulesMet('tools/project.json', '{}')).toEqual(['project-tags:1']);
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
});

describe('the tree', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidy-'));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }

  it('is what git would add: new files yes, ignored and deleted ones and pictures no', () => {
    write('.gitignore', 'dist/\n');
    write('libs/bus/reply.ts', lines(1));
    write('libs/bus/gone.ts', lines(1));
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
