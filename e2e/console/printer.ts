import type { Screen } from '@offizin/testkit/browser/screen';

/** In the page. The printer itself is not part of the tests: a page without a window never prints. */
declare const window: { print: () => void };
declare const jobs: () => Promise<void>;

/** Counts what the page prints. */
export async function withPrinter(screen: Screen): Promise<{ screen: Screen; printed: () => number }> {
  let count = 0;
  await screen.page.exposeFunction('jobs', () => {
    count++;
  });
  await screen.page.addInitScript(() => {
    window.print = () => void jobs();
  });
  return { screen, printed: () => count };
}
