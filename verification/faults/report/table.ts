import type { Judged } from '../runner';

/** The table at the end, for a terminal. */
export function tableOf(judged: readonly Judged[]): string {
  const lines = judged.flatMap(({ guarantee, verdicts, durationMs }) => [
    `\n${guarantee.id}  ${guarantee.promise} (${Math.round(durationMs / 1_000)} s)`,
    ...verdicts.flatMap(({ fault, trials, figure, bar, result }) => [
      `  ${result.padEnd(7)}  ${fault}; ${trials}`,
      `           ${figure} (bar: ${bar})`,
    ]),
  ]);
  const results = judged.flatMap(({ verdicts }) => verdicts.map(({ result }) => result));
  const count = (wanted: string): number => results.filter((result) => result === wanted).length;
  lines.push(`\n${count('held')} held, ${count('broken')} broken, ${count('skipped')} skipped`);
  return lines.join('\n');
}
