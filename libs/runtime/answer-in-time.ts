/**
 * The promise of an answer, by construction: what is not done in its time is answered by `late` instead. The work goes
 * on, for nobody can take it back, and `whenDone` is told how it ended.
 */

/**
 * A call is answered within this, whatever its database does. Source: guarantees.md G11 (five seconds for the caller); an
 * edge that waits for order-core gives up a little later (core-proxy.ts), and so passes this answer on.
 */
export const ANSWER_WITHIN_MS = 4_500;

export async function answerInTime<Answer>(
  work: Promise<Answer>,
  late: () => Answer,
  whenDone: (answer: Answer) => void = () => undefined,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      // Nobody else waits for it any more: a failure must not become an unhandled one.
      work.then(whenDone, () => undefined);
      resolve(late());
    }, withinMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
