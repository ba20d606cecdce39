import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERROR_CODES, ERRORS } from '@offizin/contracts/calls/error-table';
import { operations } from '@offizin/contracts/operations';
import { EVENT_TYPES } from '@offizin/contracts/webhooks/events';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { markdownTable } from './markdown-table';
import { pages } from './pages';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const filesBelow = (folder: string): string[] =>
  readdirSync(join(checkoutRoot, folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path}`,
  );
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesBelow('docs').filter((path) => path.endsWith('.md')),
];

describe('the written pages', () => {
  it.each(Object.entries(pages))('%s is what `node tools/bootstrap.mjs docs` would write', (path, page) => {
    expect(read(path)).toBe(page());
  });
});

describe('the code', () => {
  const isCode = (path: string): boolean => /\.(?:ts|sql)$/.test(path) && !path.endsWith('.spec.ts');
  const files = ['apps', 'libs'].flatMap(filesBelow).filter(isCode);

  it('answers with every error that the page lists', () => {
    const thrown = files.flatMap((path) => [...read(path).matchAll(/(?:Refused|Unreachable)\(\s*'(\w+)'/g)]);
    // Whatever is neither a refusal nor an unreachable service becomes an internal_error.
    const answered = new Set(['internal_error', ...thrown.map(([, code]) => code)]);
    expect(ERROR_CODES.filter((code) => !answered.has(code))).toEqual([]);
  });

  it('sends every event that the page lists', () => {
    const reads =
      /^apps\/(?:console|reference|catalog\/order-events|webhook-worker\/(?:events|deliveries\/deliveries\.store))\b/;
    const writers = files.filter((path) => path.startsWith('apps/') && !reads.test(path));
    const written = writers.map(read).join('\n');
    expect(Object.keys(EVENT_TYPES).filter((kind) => !written.includes(`'${kind}'`))).toEqual([]);
  });
});

describe('docs/operate/configuration.md', () => {
  it('names every variable that `npm start` reads, and no other', () => {
    const readers = [
      'tools/up/main.ts',
      'tools/up/options.ts',
      'tools/local-stack/stack-ports.ts',
      'tools/local-stack/postgres-account.ts',
      'tools/local-stack/nats-program.ts',
    ]
      .map(read)
      .join('\n');
    const variables = [...readers.matchAll(/process\.env\.(\w+)|portOf\('(\w+)'/g)].map(
      ([, own, port]) => own ?? port ?? '',
    );
    const section = read('docs/operate/configuration.md').split('## npm start')[1] ?? '';
    const named = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
    // The bootstrap sets the first; the second belongs to all programs of a user.
    const own = variables.filter((name) => !['OFFIZIN_BOOTSTRAP_PID', 'XDG_CACHE_HOME'].includes(name));
    expect([...new Set(own)].sort()).toEqual(named.sort());
  });
});

describe('docs/integrate/errors.md', () => {
  it('has one row for each code, with its status', () => {
    const rows = [...read('docs/integrate/errors.md').matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)];
    expect(rows.map(([, status, code]) => [code, Number(status)])).toEqual(
      Object.entries(ERRORS).map(([code, { status }]) => [code, status]),
    );
  });
});

describe('markdownTable', () => {
  it('aligns columns and keeps a bar inside a cell', () => {
    expect(
      markdownTable([
        ['a', 'long head'],
        ['x|y', 'b'],
      ]),
    ).toBe(['| a    | long head |', '| ---- | --------- |', '| x\\|y | b         |'].join('\n'));
  });
});

/** The names of `a/{b,c}.ts`, as a shell would write them out. */
function withoutBraces(name: string): string[] {
  const [, before = '', inside = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return inside === '' ? [name] : inside.split(',').map((part) => `${before}${part}${after}`);
}

describe('every document', () => {
  it.each(documents)('%s links only to files that exist', (path) => {
    const targets = [...read(path).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const missing = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(checkoutRoot, dirname(path), target)),
    );
    expect(missing).toEqual([]);
  });

  it.each(documents)('%s names only files of this tree', (path) => {
    const named = [...read(path).matchAll(/`((?:apps|libs|tools|verification|deploy|docs)\/[\w./{},-]+)`/g)];
    const missing = named
      .flatMap(([, name = '']) => withoutBraces(name))
      .filter((name) => !existsSync(join(checkoutRoot, name)));
    expect(missing).toEqual([]);
  });

  it.each(documents)('%s names only commands that exist', (path) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(path).matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
    const tools = [...read(path).matchAll(/tools\/bootstrap\.mjs ([a-z]+)/g)].map(([, name = '']) => name);
    expect(tools.filter((name) => !existsSync(join(checkoutRoot, 'tools', name, 'main.ts')))).toEqual([]);
  });

  it.each(documents)('%s names only paths of the API that are routed', (path) => {
    const routed = operations.map((operation) => operation.path);
    const named = [...read(path).matchAll(/\/api\/v[12]\/[\w/{}-]+(?:\.pdf)?(?![$\w/{}-])/g)].map(
      ([name]) => name,
    );
    expect(named.filter((name) => !routed.some((route) => route === name))).toEqual([]);
  });
});

describe('the pages for pharmacies', () => {
  it.each(['de', 'en'])('docs/pharmacy/console.%s.md has in bold only texts of the console', (language) => {
    const files = filesBelow('apps/console').filter((path) =>
      [`/${language}.ts`, `.${language}.ts`].some((ending) => path.endsWith(ending)),
    );
    const said = files.map(read).join('\n');
    const named = [...read(`docs/pharmacy/console.${language}.md`).matchAll(/\*\*([^*]+)\*\*/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !said.includes(`'${name}'`))).toEqual([]);
  });
});

describe('the commands of the operator', () => {
  it('are all in README.md or a page of docs', () => {
    const textOf = (folder: string, ending: string): string =>
      filesBelow(folder)
        .filter((path) => path.endsWith(ending) && !path.startsWith('docs/decisions/'))
        .map(read)
        .join('\n');
    const declared = textOf('tools/offizin', '.ts');
    const commands = [...declared.matchAll(/program\s*\.command\('([a-z-]+)'\)/g)].map(
      ([, name = '']) => name,
    );
    expect(commands).toContain('import-catalog');
    const described = read('README.md') + textOf('docs', '.md');
    expect(commands.filter((name) => !described.includes(name))).toEqual([]);
  });
});
