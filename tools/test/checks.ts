import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { changedFiles, presentFiles } from './changes';
import { type Outcome, sum } from './jest-result';
import { run } from './phases';

interface Check {
  name: string;
  command: [string, ...string[]];
}

/** A change of these can change the findings in every file. */
const LINT_RULES = [
  'eslint.config.mjs',
  'verification/style/import-rules.mjs',
  'tsconfig*.json',
  'package-lock.json',
];
const LINTED = /\.(tsx?|mjs|cjs)$/;

/**
 * One after the other, beside the first phases. ESLint and Prettier read the files that changed since `since`,
 * ESLint also those that import them; null means all files.
 */
export async function runChecks(since: string | null): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const check of checks(since)) outcomes.push(await runCheck(check));
  return sum(outcomes);
}

function checks(since: string | null): Check[] {
  const files = since === null ? ['.'] : filesToLint(since);
  // package.json: Prettier reads everything when it is given nothing.
  const toFormat = since === null ? ['.'] : ['package.json', ...presentFiles(since).filter(isNoLink)];
  return [
    { name: 'tidy', command: [process.execPath, 'dist/verification/style/main.js'] },
    // Of the two pages for browsers, too.
    { name: 'type check', command: ['npm', 'run', '--silent', 'typecheck'] },
    {
      name: `lint of ${files[0] === '.' ? 'all files' : `${files.length} files that a change touches`}`,
      command: ['npx', 'eslint', '--no-warn-ignored', '--pass-on-no-patterns', ...files],
    },
    {
      name: 'format',
      command: ['npx', 'prettier', '--check', '--ignore-unknown', '--log-level', 'warn', ...toFormat],
    },
  ];
}

/** Prettier refuses a link that it is given; it reads the file itself. */
function isNoLink(file: string): boolean {
  return !lstatSync(join(checkoutRoot, file)).isSymbolicLink();
}

function filesToLint(since: string): string[] {
  if (changedFiles(since, LINT_RULES).length > 0) return ['.'];
  const changed = presentFiles(since).filter((file) => LINTED.test(file));
  const names = changed.map((file) => basename(file).replace(LINTED, ''));
  const patterns = [...new Set(names)].flatMap((name) => ['-e', `/${name}'`]);
  // A superset of the importers: names are compared without their folders.
  const importers = patterns.length > 0 ? gitGrep(patterns) : [];
  return [...new Set([...changed, ...importers])];
}

function gitGrep(patterns: readonly string[]): string[] {
  const args = ['grep', '--name-only', '--fixed-strings', ...patterns, '--', '*.ts', '*.tsx'];
  try {
    const found = execFileSync('git', args, { cwd: checkoutRoot, encoding: 'utf8' });
    return found.trim().split('\n');
  } catch {
    // git grep ends with 1 when it finds nothing.
    return [];
  }
}

async function runCheck({ name, command }: Check): Promise<Outcome> {
  const startedAt = performance.now();
  const code = await run(command);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - startedAt)} ms)`);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? [] : [name], skipped: 0 };
}
