import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { changedFiles, git, isCommit, presentFiles } from './changes';
import { HEAVIER, type Inputs, STORIES, WrongCall } from './inputs';
import { jest, PHASES, filesOf } from './phases';

export interface Selection {
  /** Paths of spec files from the root of the checkout. */
  files: string[];
  /** For Jest, besides the files. */
  jestArguments: string[];
  /** Heavier specs that run because an input changed, and those that do not run. */
  broughtBack: string[];
  leftOut: string[];
}

/** Everything; `npm run test:all`. */
export const ALL = '--all';
/** The specs of what changed: the working tree, or the last commit when it is clean; `--changed=<commit>` since then. */
const CHANGED = '--changed';
const NAME_FLAGS = ['-t', '--testNamePattern'];
/** Jest's flags that choose files: they count once, when the files are listed. */
const FILE_FLAGS = ['--shard', '--changedSince', '--onlyChanged', '-o', '--lastCommit'];
const FLAGS_WITH_VALUE = [...NAME_FLAGS, '--shard', '--changedSince'];
const KIT = 'verification/kit/';

/** Which spec files `npm test -- <given>` runs. `lastFull` is the commit on which all specs passed. */
export function select(given: readonly string[], lastFull: string): Selection {
  const own = given.filter((one) => one === ALL || one.split('=')[0] === CHANGED);
  const rest = given.filter((one) => !own.includes(one));
  const changed = own.find((one) => one !== ALL);
  if (changed) return selectChanged(changed.split('=')[1], rest);
  const { paths, fileFlags, jestArguments, name } = split(rest);
  const listed = listTests([...fileFlags, ...jestArguments, ...paths]);
  const files = name === null ? listed : listed.filter((file) => mentions(file, name));
  if (files.length === 0) throw new WrongCall(nothingFound(paths, name));
  if (own.includes(ALL) || rest.length > 0) return { files, jestArguments, broughtBack: [], leftOut: [] };
  const heavier = HEAVIER.flatMap((row) => files.filter((file) => row.specs.includes(file)));
  const broughtBack = changedRows(HEAVIER, lastFull).flatMap(({ specs }) => specs);
  const leftOut = heavier.filter((file) => !broughtBack.includes(file));
  return { files: files.filter((file) => !leftOut.includes(file)), jestArguments, broughtBack, leftOut };
}

/** Files of the test kit do not count when specs that always run use them, too. */
function changedRows(rows: readonly Inputs[], since: string): Inputs[] {
  const heavier = new Set(HEAVIER.flatMap(({ specs }) => specs));
  const always = git('ls-files', '*.spec.ts')
    .split('\n')
    .filter((file) => !heavier.has(file));
  const proven = new Set(
    always.flatMap((spec) => [...importsOf(spec)]).filter((file) => file.startsWith(KIT)),
  );
  return rows.filter(({ specs, inputs }) => {
    const imported = specs.flatMap((spec) => [...importsOf(spec)]).filter((file) => !proven.has(file));
    return changedFiles(since, [...imported, ...inputs]).length > 0;
  });
}

/** The spec and all that it reaches by relative imports and in the test kit, such as the screens of a story. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(join(checkoutRoot, file))) return found;
  found.add(file);
  const text = readFileSync(join(checkoutRoot, file), 'utf8');
  for (const [, path = ''] of text.matchAll(/ from '(\.[^']+|@offizin\/testkit\/[^']+)'/g)) {
    const target = path.startsWith('.')
      ? join(dirname(file), path)
      : path.replace(/^@offizin\/testkit\//, KIT);
    importsOf(`${normalize(target)}.ts`, found);
  }
  return found;
}

/** Unit and database specs in the import graph of the change; other specs by the tables of inputs.ts. */
function selectChanged(since: string | undefined, rest: readonly string[]): Selection {
  const from = since ?? (git('status', '--porcelain') === '' ? 'HEAD~1' : 'HEAD');
  if (!isCommit(from)) throw new WrongCall(`${CHANGED}=${from}: there is no such commit.`);
  const changed = presentFiles(from);
  const [unit, database, ...others] = PHASES;
  const sources = changed.filter((file) => /\.tsx?$/.test(file));
  const related = sources.length > 0 ? listTests(['--findRelatedTests', ...sources]) : [];
  const inGraph = [unit, database].flatMap((phase) => (phase ? filesOf(phase, related) : []));
  const bySpec = others.flatMap((phase) => filesOf(phase, changed));
  const byInput = changedRows([...HEAVIER, ...STORIES], from).flatMap(({ specs }) => specs);
  const files = [...new Set([...inGraph, ...bySpec, ...byInput])];
  if (files.length === 0) throw new WrongCall(`No spec depends on what changed since ${from}.`);
  return { files, jestArguments: [...rest], broughtBack: [], leftOut: [] };
}

interface GivenArguments {
  paths: string[];
  fileFlags: string[];
  jestArguments: string[];
  /** Of `-t`. */
  name: RegExp | null;
}

function split(rest: readonly string[]): GivenArguments {
  const given: GivenArguments = { paths: [], fileFlags: [], jestArguments: [], name: null };
  for (let place = 0; place < rest.length; place++) {
    let one = rest[place] ?? '';
    if (FLAGS_WITH_VALUE.includes(one)) one = `${one}=${rest[++place] ?? ''}`;
    const [flag = '', value = ''] = one.split(/=(.*)/s);
    if (NAME_FLAGS.includes(flag)) {
      given.name = nameOf(value);
      given.jestArguments.push(`--testNamePattern=${value}`);
    } else if (FILE_FLAGS.includes(flag)) given.fileFlags.push(one);
    else if (one.startsWith('-')) given.jestArguments.push(one);
    else given.paths.push(one);
  }
  return given;
}

function nameOf(value: string): RegExp {
  try {
    if (value !== '') return new RegExp(value, 'i');
  } catch {
    // Said below.
  }
  throw new WrongCall(`-t needs a regular expression of the name of a test, not "${value}".`);
}

/** Names of tests that are made by a table are found by the table's text only, if at all; a path finds them. */
function mentions(file: string, name: RegExp): boolean {
  return name.test(readFileSync(file, 'utf8'));
}

function nothingFound(paths: readonly string[], name: RegExp | null): string {
  const where = paths.length > 0 ? ` below ${paths.join(' or ')}` : '';
  return name
    ? `No spec file${where} contains the text ${name.source}. Names made from a table need a path: npm test -- <path> -t <name>.`
    : `There is no spec file${where}. Give a folder, or a part of a path: npm test -- apps/order-core/orders.`;
}

function listTests(args: readonly string[]): string[] {
  const [program, ...jestArgs] = jest('--listTests', '--json', '--passWithNoTests', ...args);
  const { status, stdout, stderr } = spawnSync(program, jestArgs, { cwd: checkoutRoot, encoding: 'utf8' });
  if (status !== 0) throw new WrongCall(`Jest does not take this call: ${summaryOf(stderr)}`);
  const list = stdout.trim().split('\n').at(-1) || '[]';
  if (!list.startsWith('[')) throw new WrongCall(list);
  const found = JSON.parse(list) as string[];
  return found.map((file) => relative(checkoutRoot, file)).sort();
}

/** Jest's own words, without its frames and its list of all options. */
function summaryOf(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^[●\s]+/, '').trim());
  return lines
    .filter((line) => line !== '')
    .slice(0, 3)
    .join(' ');
}
