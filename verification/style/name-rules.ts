import { FileRule, isCode, isOfConsole, TreeFile, TreeRule } from './rule';

/** Names that say nothing, so that everything ends up under them. */
const emptyNames = /^(?:index|commons?|utils?|helpers?|shared|misc|base|types?|constants?)$/;

/** Layers that only pass things on. */
const layerSuffixes = /\.(?:service|controller|repository|mapper|interface)\.tsx?$/;

/** Folders of an app that are not features. */
const besideFeatures = new Set(['db', 'e2e']);

/** Kinds of files of a feature, besides rule files and specs. */
const featureKinds = new Set(['', 'handlers', 'store', 'guard']);

/** Kinds of files of a feature of the console, besides rules and parts of pages: texts are `de` and `en`. */
const consoleKinds = new Set(['', 'page', 'calls', 'de', 'en']);

function emptyNameIn({ path }: TreeFile): ReturnType<FileRule['check']> {
  const name = path.split('/').find((part) => emptyNames.test(part.split('.')[0] ?? ''));
  return name === undefined
    ? []
    : [{ line: 1, message: `"${name}" says nothing: name it after what it holds` }];
}

function kindsOf(path: string): Set<string> {
  return isOfConsole(path) ? consoleKinds : featureKinds;
}

/**
 * apps/<app>/<feature>/<file> or apps/<app>/<area>/<room>/<file>: handlers, stores, guards, rule files and their specs.
 * SQL may have a folder `sql`.
 */
function featureFile({ path }: TreeFile): ReturnType<FileRule['check']> {
  const [, , feature = '', ...inside] = path.split('/');
  if (besideFeatures.has(feature)) return [];
  const [file = '', folder, ...outer] = inside.reverse();
  if (folder === 'sql' && outer.length <= 1) return [];
  if (outer.length > 0)
    return [
      {
        line: 1,
        message: `folders have two levels, an area and its rooms: move the files of "${folder}" up`,
      },
    ];
  const kind = file
    .replace(/\.tsx?$/, '')
    .replace(/(?:\.db)?\.spec$/, '')
    .split('.')
    .slice(1)
    .join('.');
  if (kindsOf(path).has(kind)) return [];
  return [{ line: 1, message: `".${kind}.ts" is not a kind of file that a feature has` }];
}

/** Files of the two apps that run in a browser. */
const browserApps = new Map([
  ['console', ['index.html', 'main.tsx', 'routes.tsx', 'theme.css', 'tsconfig.json', 'vite.config.mjs']],
  ['reference', ['index.html', 'main.ts', 'page.css', 'tsconfig.json', 'vite.config.mjs']],
]);

/** Files that every service has, and those of a browser app. */
function filesOf(app: string): string[] {
  return browserApps.get(app) ?? ['main.ts', `${app}.module.ts`, 'config.ts'];
}

/** Every app is started, wired and configured in files of the same name. */
function appsWithoutTheirFiles(files: TreeFile[]): ReturnType<TreeRule['check']> {
  const paths = new Set(files.map(({ path }) => path));
  const apps = new Set([...paths].flatMap((path) => /^apps\/([^/]+)\//.exec(path)?.[1] ?? []));
  return [...apps].flatMap((app) =>
    filesOf(app)
      .map((name) => `apps/${app}/${name}`)
      .filter((path) => !paths.has(path))
      .map((path) => ({ path, line: 1, message: `missing: this app is ${filesOf(app).join(', ')}` })),
  );
}

export const nameRules: FileRule[] = [
  { name: 'empty-name', appliesTo: isCode, check: emptyNameIn },
  {
    name: 'layer',
    appliesTo: (path) => isCode(path) && layerSuffixes.test(path),
    check: () => [
      { line: 1, message: 'a layer that passes things on: use *.handlers.ts, *.store.ts or a rule' },
    ],
  },
  {
    name: 'feature-folder',
    appliesTo: (path) => /^apps\/[^/]+\/[^/]+\/.*\.tsx?$/.test(path),
    check: featureFile,
  },
  {
    name: 'one-module',
    appliesTo: (path) => /^apps\/.*\.module\.ts$/.test(path) && !/^apps\/([^/]+)\/\1\.module\.ts$/.test(path),
    check: () => [{ line: 1, message: 'all the wiring of an app is in its one <app>.module.ts' }],
  },
];

export const appShape: TreeRule = { name: 'app-shape', check: appsWithoutTheirFiles };
