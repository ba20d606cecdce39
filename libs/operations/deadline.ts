/**
 * After the deadline `late` answers; the work continues, because it cannot be undone, and `whenDone` receives its
 * answer.
 */

/**
 * Earlier than the edges' deadline for order-core (core-proxy.ts), so that they pass this answer on. Source:
 * guarantees.md G11.
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
      // Rejects with the work's error; no effect after the late answer.
      () => {
        clearTimeout(timer);
        resolve(work);
      },
    );
  });
}
