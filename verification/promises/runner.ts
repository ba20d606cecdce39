import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { History } from '@offizin/testkit/load/history';
import type { Bench, Guarantee, Verdict } from './guarantee';
import { Random } from '../../tools/demo/random';
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
 * Tests one promise on separate stacks and always cleans up. An exception is a verdict, too: a promise that could not be
 * judged does not hold.
 */
export async function tryGuarantee(guarantee: Guarantee, options: RunOptions): Promise<Judged> {
  const { seed, isShort, historyFolder, say } = options;
  const startedAt = performance.now();
  if (historyFolder !== null) mkdirSync(historyFolder, { recursive: true });
  const history = new History(historyFolder && join(historyFolder, `${guarantee.id}.jsonl`));
  const closers: (() => Promise<void>)[] = [];
  const bench: Bench = {
    // A seed per promise, so that a single promise (--only) replays its moments.
    random: new Random(`${seed} ${guarantee.id}`),
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
  // In reverse: later parts depend on earlier ones.
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
