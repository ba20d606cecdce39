import { execFileSync } from 'node:child_process';
import type { Finding } from './rule';

/** How commits are written (CONTRIBUTING.md): `area: subject` in at most 72 characters, then the reason in the body. */
export interface Commit {
  hash: string;
  subject: string;
}

const MAX_SUBJECT_LENGTH = 72;
const AREA = /^[a-z0-9][a-z0-9 ,/.-]*: \S/;
/** The rule is newer than this commit; earlier subjects stay as they are. */
const LAST_UNCHECKED = '46e0a098a41698ca1c7b91cb4a6b6b03844df645';

export function commitFindings(commits: readonly Commit[]): Finding[] {
  return commits.flatMap(({ hash, subject }) => {
    const problem = problemOf(subject);
    return problem === null ? [] : [{ path: hash, line: 1, rule: 'commit-subject', message: problem }];
  });
}

function problemOf(subject: string): string | null {
  if (!AREA.test(subject)) return `begin with the area, such as "bus: …": ${subject}`;
  const { length } = [...subject];
  return length > MAX_SUBJECT_LENGTH
    ? `${length} characters of at most ${MAX_SUBJECT_LENGTH}: ${subject}`
    : null;
}

/** The commits since the rule. None where this tree is not a git repository, or a clone without that commit. */
export function readCommits(root: string): Commit[] {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('merge-base', '--is-ancestor', LAST_UNCHECKED, 'HEAD');
  } catch {
    return [];
  }
  return git('log', '--no-merges', '--format=%h %s', `${LAST_UNCHECKED}..HEAD`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
}
