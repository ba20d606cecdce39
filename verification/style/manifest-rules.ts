import { FileRule, TreeFile, TreeRule } from './rule';

/** Two versions of one package have two names: `npm:<package>@<version>`. */
const exactVersion = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?$/;

interface PackageFile {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  overrides?: Record<string, unknown>;
}
interface ProjectFile {
  tags?: string[];
}
type AliasFile = Record<'compilerOptions' | 'jsc', { paths?: Record<string, string[]> } | undefined>;

/** The one library that is not in libs. */
const KIT = 'verification/kit/project.json';

const lineOf = (text: string, part: string): number =>
  text.slice(0, Math.max(0, text.indexOf(part))).split('\n').length;

/** Two installs of one commit must be one program. Peer dependencies are ranges by nature and are not asked. */
function looseVersions({ text }: TreeFile): ReturnType<FileRule['check']> {
  const manifest = JSON.parse(text) as PackageFile;
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
  return [dependencies, devDependencies, optionalDependencies, overrides]
    .flatMap((group) => Object.entries(group ?? {}))
    .filter(([, version]) => typeof version === 'string' && !exactVersion.test(version))
    .map(([name, version]) => ({
      line: lineOf(text, `"${name}": "${String(version)}"`),
      message: `${name} is "${String(version)}", not one exact version`,
    }));
}

/** The tags that a project must carry, by its folder; without them the lint rule lets it import anything. */
function tagsFor(path: string): string[] {
  const [top, name = ''] = path.split('/');
  if (path === 'apps/console/project.json') return ['type:console'];
  if (path === 'apps/reference/project.json') return ['type:reference'];
  if (top === 'apps') return ['type:app', `scope:${name}`];
  if (top === 'libs') return ['type:lib', `lib:${name}`];
  if (path === KIT) return ['type:lib', 'lib:testkit'];
  if (path === 'tools/local-stack/project.json') return ['type:lib', 'lib:local-stack'];
  return ['type:tool'];
}

function missingTags({ path, text }: TreeFile): ReturnType<FileRule['check']> {
  const { tags = [] } = JSON.parse(text) as ProjectFile;
  const missing = tagsFor(path).filter((tag) => !tags.includes(tag));
  return missing.length === 0
    ? []
    : [{ line: lineOf(text, '"tags"'), message: `tags lack ${missing.join(', ')}` }];
}

function foldersWithoutProject(files: TreeFile[]): ReturnType<TreeRule['check']> {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Set([...paths].flatMap((path) => /^(?:apps|libs)\/[^/]+(?=\/)/.exec(path)?.[0] ?? []));
  return [...folders]
    .map((folder) => `${folder}/project.json`)
    .filter((path) => !paths.has(path))
    .map((path) => ({ path, line: 1, message: 'missing: without it Nx and lint do not know this folder' }));
}

/** The compiler reads one list of aliases and the build another; a library missing in one fails only when it runs. */
function aliasesThatDiffer(files: TreeFile[]): ReturnType<TreeRule['check']> {
  const pathsIn = (path: string, key: keyof AliasFile): Record<string, string[]> => {
    const text = files.find((file) => file.path === path)?.text;
    return text === undefined ? {} : ((JSON.parse(text) as AliasFile)[key]?.paths ?? {});
  };
  const compiler = pathsIn('tsconfig.base.json', 'compilerOptions');
  const build = pathsIn('.swcrc', 'jsc');
  const libraries = files.flatMap(
    ({ path }) => /^((?:libs|tools)\/[^/]+)\/project\.json$/.exec(path)?.[1] ?? [],
  );
  const expected = new Map(
    libraries.map((folder) => [`@offizin/${folder.split('/')[1] ?? ''}/*`, `./${folder}/*`]),
  );
  if (files.some(({ path }) => path === KIT)) expected.set('@offizin/testkit/*', './verification/kit/*');
  return [...new Set([...expected.keys(), ...Object.keys(compiler), ...Object.keys(build)])]
    .filter((alias) => [compiler, build].some((paths) => paths[alias]?.join() !== expected.get(alias)))
    .map((alias) => ({
      path: 'tsconfig.base.json',
      line: 1,
      message: `${alias} must be the same here, in .swcrc and among {libs,tools}/*/project.json`,
    }));
}

export const manifestRules: FileRule[] = [
  { name: 'exact-version', appliesTo: (path) => /(?:^|\/)package\.json$/.test(path), check: looseVersions },
  {
    name: 'lock-without-hosts',
    appliesTo: (path) => /(?:^|\/)package-lock\.json$/.test(path),
    check: ({ text }) =>
      text.includes('"resolved":')
        ? [
            {
              line: lineOf(text, '"resolved":'),
              message: 'names a registry host: omit-lockfile-registry-resolved=true',
            },
          ]
        : [],
  },
  { name: 'project-tags', appliesTo: (path) => /(?:^|\/)project\.json$/.test(path), check: missingTags },
];

export const manifestTreeRules: TreeRule[] = [
  { name: 'project-file', check: foldersWithoutProject },
  { name: 'aliases', check: aliasesThatDiffer },
];
