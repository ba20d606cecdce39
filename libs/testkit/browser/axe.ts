import { source } from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}
/** In the page, after its source was put there. */
declare const axe:
  | undefined
  | {
      run: (
        context: { exclude: string[] },
        options: { resultTypes: ['violations'] },
      ) => Promise<{ violations: Finding[] }>;
    };

/** All findings of axe, one line per element. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (await page.evaluate(() => typeof axe === 'undefined')) await putIntoPage(page);
  const violations = await page.evaluate(async () => {
    // The invisible canvas on which pdfjs measures fonts.
    const exclude = ['.hiddenCanvasElement'];
    const result = await axe?.run({ exclude }, { resultTypes: ['violations'] });
    return result?.violations ?? [];
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const detail = failureSummary.split('\n').slice(1).join(' ').trim();
      return `${id}: ${help} at ${target.join(' ')}: ${detail}`;
    }),
  );
}

/** As a person would by the console of the browser: the page's policy refuses every other way. */
async function putIntoPage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: source });
  await session.detach();
}
