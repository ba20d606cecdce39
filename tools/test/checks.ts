import { constants, setPriority } from 'node:os';
import { type Outcome, sum } from './jest-result';
import { run } from './phases';

const CHECKS: { name: string; command: [string, ...string[]] }[] = [
  { name: 'tidy', command: [process.execPath, 'dist/tools/tidy/main.js'] },
  // Of the two pages for browsers, too.
  { name: 'type check', command: ['npm', 'run', '--silent', 'typecheck'] },
  { name: 'lint', command: ['npx', 'eslint', '.'] },
  { name: 'format', command: ['npx', 'prettier', '--check', '--log-level', 'warn', '.'] },
];

/** One after the other and at a low priority: specs that wait for a process or a lock leave time. */
export async function runChecks(): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check));
  return sum(outcomes);
}

async function runCheck({ name, command }: (typeof CHECKS)[number]): Promise<Outcome> {
  const startedAt = performance.now();
  const code = await run(command, {}, (pid) => setPriority(pid, constants.priority.PRIORITY_LOW));
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - startedAt)} ms)`);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}
