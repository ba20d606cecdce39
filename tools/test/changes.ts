import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Names the last commit on which `npm run test:all` was green. */
export const LAST_FULL_FILE = '.ci/last-full';
const MOST_COMMITS = 60;

export function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: checkoutRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Changed, added and untracked files since a commit, of those that one of the globs names; of all without globs. */
export function changedFiles(since: string, globs: readonly string[]): string[] {
  const patterns = globs.map((glob) => `:(glob)${glob}`);
  const changed = git('diff', '--name-only', '--no-renames', '--relative', since, '--', ...patterns);
  const untracked = git('ls-files', '--others', '--exclude-standard', '--', ...patterns);
  return [...changed.split('\n'), ...untracked.split('\n')].filter((file) => file !== '');
}

/** All of them that still exist. */
export function presentFiles(since: string): string[] {
  return changedFiles(since, []).filter((file) => existsSync(join(checkoutRoot, file)));
}

export function isCommit(name: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${name}^{commit}`], { cwd: checkoutRoot }).status === 0;
}

export interface LastFull {
  commit: string;
  /** Commits since then. */
  age: number;
  /** What to do when it is too old or unknown; else null. */
  problem: string | null;
}

export function readLastFull(): LastFull {
  let commit = 'nothing';
  try {
    commit = readFileSync(join(checkoutRoot, LAST_FULL_FILE), 'utf8').trim();
    if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error('no hash');
    const age = Number(git('rev-list', '--count', `${commit}..HEAD`));
    const tooOld = `All specs last passed ${age} commits ago (${LAST_FULL_FILE}; at most ${MOST_COMMITS}): run npm run test:all`;
    return { commit, age, problem: age > MOST_COMMITS ? tooOld : null };
  } catch {
    const problem = `${LAST_FULL_FILE} names ${commit}, which is not a commit of this clone: fetch all commits, or run npm run test:all`;
    return { commit: 'HEAD', age: 0, problem };
  }
}
