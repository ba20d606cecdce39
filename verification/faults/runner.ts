import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Guarantee, Verdict } from './guarantee';
import { History } from './history/history';
import { SeededRandom } from './history/seeded-random';
import { Trial } from './trial';

export interface RunOptions {
  seed: string;
  isShort: boolean;
  /** Where histories are written; null for nowhere. */
  historyFolder: string | null;
  say: (line: string) => void;
}

export interface Judged {
  guarantee: Pick<Guarantee, 'id' | 'promise'>;
  verdicts: Verdict[];
  durationMs: number;
}

/**
 * Tries one promise on stacks of its own and puts everything away, whatever happens. What breaks off is a verdict, too:
 * a promise that could not be judged is not held.
 */
export async function tryGuarantee(guarantee: Guarantee, options: RunOptions): Promise<Judged> {
  const { seed, isShort, historyFolder, say } = options;
  const startedAt = performance.now();
  if (historyFolder !== null) mkdirSync(historyFolder, { recursive: true });
  const history = new History(historyFolder && join(historyFolder, `${guarantee.id}.jsonl`));
  const closers: (() => Promise<void>)[] = [];
  const bench: Bench = {
    // Each promise has moments of its own, so that one alone (--only) replays them.
    random: new SeededRandom(`${seed} ${guarantee.id}`),
    history,
    pick: (full, short) => (isShort ? short : full),
    open: async (trialOptions = {}) => {
      const trial = await Trial.open(trialOptions);
      closers.push(() => trial.close());
      return trial;
    },
    atEnd: (work) => closers.push(work),
    say: (line) => say(`${guarantee.id} ${line}`),
  };
  let verdicts: Verdict[];
  try {
    verdicts = await guarantee.run(bench);
  } catch (error) {
    verdicts = [brokenOff(error)];
    if (historyFolder !== null && error instanceof Error)
      appendFileSync(
        join(historyFolder, `${guarantee.id}.error`),
        `${error.stack}\n${String(error.cause)}\n`,
      );
  }
  // What was opened last stands on what was opened first.
  for (const close of closers.reverse())
    await close().catch((error: unknown) => say(`not put away: ${String(error)}`));
  history.flush();
  return { guarantee, verdicts, durationMs: performance.now() - startedAt };
}

function brokenOff(error: unknown): Verdict {
  const reason = error instanceof Error ? error.message : String(error);
  const figure = `broke off: ${reason.split('\n')[0] ?? ''}`;
  return { fault: 'all of it', trials: 'none judged', figure, bar: 'to be judged', result: 'broken' };
}
