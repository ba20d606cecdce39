/**
 * For files that hold a deadline of the product or a step of the browser against the clock: where others use the processor,
 * one may be missed. The failure of the first try is printed. Call it at the top of the file; not for races.
 */
export function allowSecondTry(): void {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
}
