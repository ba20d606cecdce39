/**
 * Tidy: checks style rules that can be counted or matched, over every file that git tracks or would add.
 *
 * `size-rules` (README), `name-rules` (empty names, feature folders, the files of an app), `text-rules` (marks, fixed
 * sleeps, unexplained disables, paths of one machine), `word-rules` (words that we refuse), `manifest-rules` (exact
 * versions, lock file, Nx tags, aliases), `commit-rules` (subjects of commits). Everything that ESLint can see is in eslint.config.mjs.
 *
 * Guarantees: it reads only; it prints every finding as `file:line rule message`, not just the first; it exits with 1
 * when there is one. tidy.spec.ts shows each rule failing on a small sample.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { commitFindings, readCommits } from './commit-rules';
import { manifestRules, manifestTreeRules } from './manifest-rules';
import { appShape, nameRules } from './name-rules';
import { FileRule, Finding, TreeFile, TreeRule } from './rule';
import { sizeRules } from './size-rules';
import { machinePathRule, textRules } from './text-rules';
import { refusedWord } from './word-rules';

/** Written by a generator, by npm or by the Apache foundation. */
const notOurs = /(?:^|\/)generated\/|^LICENSE$/;

/** `root` is the absolute path of the tree, which must not appear in any file. */
export function findings(files: TreeFile[], root: string): Finding[] {
  const fileRules: FileRule[] = [
    ...sizeRules,
    ...nameRules,
    ...textRules,
    ...manifestRules,
    refusedWord,
    machinePathRule(root),
  ];
  const treeRules: TreeRule[] = [appShape, ...manifestTreeRules];
  const ours = files.filter((file) => !notOurs.test(file.path));
  return [
    ...ours.flatMap((file) => findingsIn(file, fileRules)),
    ...treeRules.flatMap((rule) => rule.check(ours).map((finding) => ({ ...finding, rule: rule.name }))),
  ].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

function findingsIn(file: TreeFile, rules: FileRule[]): Finding[] {
  return rules
    .filter((rule) => rule.appliesTo(file.path))
    .flatMap((rule) => rule.check(file).map((finding) => ({ path: file.path, rule: rule.name, ...finding })));
}

/** Files that git has or would add, without those that are not text. */
export function readTree(root: string): TreeFile[] {
  return pathsOf(root)
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }))
    .filter(({ text }) => !text.includes('\0'));
}

/** Paths of the files that git has or would add, without those deleted on disk. */
function pathsOf(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  });
  return [...new Set(listed.split('\0'))].filter((file) => file !== '' && existsSync(path.join(root, file)));
}

function main(): void {
  const root = process.cwd();
  const files = readTree(root);
  const found = [...findings(files, root), ...commitFindings(readCommits(root))];
  for (const { path: file, line, rule, message } of found) console.log(`${file}:${line} ${rule} ${message}`);
  console.log(
    `tidy: ${files.length} files, ${found.length === 0 ? 'no findings' : `${found.length} findings`}`,
  );
  if (found.length > 0) process.exitCode = 1;
}

if (require.main === module) main();
