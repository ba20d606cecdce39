/**
 * Answers by a deadline: `late` answers instead of unfinished work. The work continues, because it cannot be
 * undone; `whenDone` receives its late answer.
 */

/**
 * Deadline for every call. Source: guarantees.md G11 (five seconds for the caller). An edge that waits for
 * order-core has a slightly later deadline (core-proxy.ts), so it passes this answer on.
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
      // Rejects with the work's error; no effect if the late answer was given.
      () => {
        clearTimeout(timer);
        resolve(work);
      },
    );
  });
}
