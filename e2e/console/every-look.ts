import type { Page } from 'playwright-core';
import { axeFindings } from '@offizin/testkit/browser/axe';
import { coveredControls, cutTexts, sidewaysScroll } from '@offizin/testkit/browser/page-checks';
import { type Language, LANGUAGES, type Screen, THEMES, WIDTHS } from '@offizin/testkit/browser/screen';

export type Visitor = 'pharmacist' | 'owner';

/** What holds for every page, in both languages and themes, on a telephone as on a wide screen. */
export interface VisitedPage {
  name: string;
  /** Who visits it; a pharmacist where nobody is named. */
  role?: Visitor;
  path: string;
  /** Is there once the page has its content. */
  content: string;
  /** Opens what belongs to the page and is not there at first. */
  open?: (page: Page) => Promise<void>;
}

export function inEachLanguage(pages: VisitedPage[]): [string, Language, VisitedPage][] {
  return LANGUAGES.flatMap((language) =>
    pages.map((page): [string, Language, VisitedPage] => [page.name, language, page]),
  );
}

export async function visit({ page }: Screen, { path, content, open }: VisitedPage): Promise<void> {
  await page.goto(path);
  await page.locator(content).first().waitFor();
  await open?.(page);
}

/**
 * Covered controls, cut text, sideways scrolling, findings of axe; leaves a screenshot of each look. What axe finds hangs
 * on width and theme, hardly on the words: English has it at two looks.
 */
export async function findingsOfEveryLook(
  screen: Screen,
  name: string,
  language: Language,
): Promise<string[]> {
  const { page } = screen;
  return everyLook(page, async (look) => {
    await screen.keepScreenshot(`${name}-${language}-${look}`);
    return [
      ...(await sidewaysScroll(page)).map((finding) => `scrolls sideways: ${finding}`),
      ...(await cutTexts(page)).map((text) => `cuts text: ${text}`),
      ...(await coveredControls(page)),
      ...(language === 'de' || LOOKS_OF_AXE.includes(look) ? await lastingFindings(page) : []),
    ];
  });
}

const LOOKS_OF_AXE = ['390-dark', '1280-light'];

/**
 * What axe finds at every one of three looks. Under load, Chromium paints some elements of a dialog in the colours of the
 * theme before, for a moment after the theme changed: axe then sees light text on white.
 */
async function lastingFindings(page: Page, looks = 3): Promise<string[]> {
  const found = await axeFindings(page);
  if (found.length === 0 || looks === 1) return found;
  await page.evaluate(untilSettled);
  return lastingFindings(page, looks - 1);
}

/** Each width in each theme, without loading the page again. */
async function everyLook(page: Page, check: (look: string) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    for (const colorScheme of THEMES) {
      await page.setViewportSize({ width, height: width < 1000 ? 1000 : 800 });
      await page.emulateMedia({ colorScheme });
      // The page learns of the theme later than the call returns.
      await page.waitForFunction(
        (scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches,
        colorScheme,
      );
      await page.evaluate(untilSettled);
      const look = `${width}-${colorScheme}`;
      found.push(...(await check(look)).map((finding) => `${look} ${finding}`));
    }
  }
  return found;
}

/** In the page: colours may be on their way from one theme to the other. */
declare const document: { getAnimations: () => { finished: Promise<unknown> }[] };
declare const matchMedia: (query: string) => { matches: boolean };
declare const requestAnimationFrame: (then: () => void) => void;

async function untilSettled(): Promise<void> {
  await new Promise<void>((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
}
