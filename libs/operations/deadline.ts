/**
 * The promise of an answer, by construction: what is not done in its time is answered by `late` instead. The work goes
 * on, for nobody can take it back, and `whenDone` is told how it ended.
 */

/**
 * A call is answered within this, whatever its database does. Source: guarantees.md G11 (five seconds for the caller); an
 * edge that waits for order-core gives up a little later (core-proxy.ts), and so passes this answer on.
 */
export const ANSWER_WITHIN_MS = 4_500;

export function answerByDeadline<Answer>(
  work: Promise<Answer>,
  late: () => Answer,
  whenDone: (answer: Answer) => void = () => undefined,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Answer> {
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(late());
    }, withinMs);
    work.then(
      (answer) => {
        clearTimeout(timer);
        if (isLate) whenDone(answer);
        else resolve(answer);
      },
      // Fails as the work did; where the answer was late, this tells nobody.
      () => {
        clearTimeout(timer);
        resolve(work);
      },
    );
  });
}
