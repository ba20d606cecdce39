import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { markdownTable } from '../../tools/docs/markdown-table';
import { heldBySpecs } from './guarantees';
import type { Judged } from './runner';

/** docs/guarantees.md, as the last whole run writes it. */
export function writePage(judged: readonly Judged[], run: { seed: string; durationMs: number }): string {
  const file = join(checkoutRoot, 'docs', 'guarantees.md');
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
    cwd: checkoutRoot,
    encoding: 'utf8',
  });
  const machine = { at: new Date(), cores: cpus().length };
  writeFileSync(file, pageOf(judged, { ...run, ...machine, commit: commit.trim() }));
  return file;
}

export function pageOf(
  judged: readonly Judged[],
  run: { seed: string; durationMs: number; at: Date; cores: number; commit: string },
): string {
  const rows = judged.flatMap(({ guarantee: { id, promise }, verdicts }) =>
    verdicts.map(({ fault, trials, figure, bar, result }, index) => [
      index === 0 ? `${id} ${promise}` : id,
      fault,
      trials,
      figure,
      bar,
      result,
    ]),
  );
  const specs = heldBySpecs.map(({ id, promise, specs: files }) => [
    `${id} ${promise}`,
    files.map((file) => `\`${file}\``).join(' '),
  ]);
  return [
    '<!-- Written by `npm run chaos`. Change verification/promises, not this page. -->',
    '',
    '# Guarantees',
    '',
    'What holds while processes die, hang and lie, and how it was tried: real processes, a real PostgreSQL and a real NATS',
    'on one machine. *ok* is a 2xx, *unknown* a 5xx or no answer: the caller repeats it under the same key. *Lost* was',
    'answered ok and is absent at the end, *doubled* is one key with two rows or one event with two delivery ids. Zero of',
    '5,000 supports "under 0.06 %", no more. Each checker is shown to fail on a broken variant in `verification/promises/checkers`.',
    '',
    `Run of ${run.at.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${Math.round(run.durationMs / 60_000)} minutes, ` +
      `${run.cores} cores, Linux ${release()}, Node.js ${process.versions.node}, shared with other work. ` +
      `\`npm run chaos -- --seed ${run.seed}\` repeats its moments. ` +
      `It tried commit \`${run.commit}\`; the specs below hold for later ones until the next run.`,
    '',
    markdownTable([['Promise', 'Fault', 'Trials', 'Figure', 'Bar', 'Result'], ...rows]),
    '',
    'Specs, run by `npm test`, hold what needs no fault, and try some faults with small figures:',
    '',
    markdownTable([['Promise', 'Specs'], ...specs]),
    '',
  ].join('\n');
}
