import type { Page } from 'playwright-core';
import {
  axeFindings,
  coveredControls,
  cutTexts,
  missingTitle,
  sidewaysScroll,
  turnedTexts,
} from '@offizin/testkit/browser/page-checks';
import {
  type Language,
  LANGUAGES,
  type Screen,
  type Theme,
  type Width,
} from '@offizin/testkit/browser/screen';
import { IS_TEST_ALL } from '@offizin/testkit/test-run';

export type Visitor = 'pharmacist' | 'owner';

/** What holds for every page, in both languages and themes, on a telephone as on a wide screen. */
export interface VisitedPage {
  name: string;
  /** The person who visits it; default: a pharmacist. */
  role?: Visitor;
  path: string;
  /** Is there once the page has its content. */
  content: string;
  /** Opens what belongs to the page and is not there at first. */
  open?: readonly ((page: Page) => Promise<void>)[];
  /** What it opens stays when the page is left, such as a selection: the next page is reloaded. */
  leavesTraces?: true;
}

export function inEachLanguage(pages: VisitedPage[]): [string, Language, VisitedPage][] {
  return LANGUAGES.flatMap((language) =>
    pages.map((page): [string, Language, VisitedPage] => [page.name, language, page]),
  );
}

export async function visit({ page }: Screen, { path, content, open }: VisitedPage): Promise<void> {
  await page.goto(path);
  await page.locator(content).first().waitFor();
  for (const step of open ?? []) await step(page);
}

/** No page of the console, so that the page before is left even when the next one has the same address. */
const NOWHERE = '/console/nowhere';

/** On it all that a page may open can be reached. */
const WIDE = { width: 1280, height: 800 };

/** As by links of the console: nothing is loaded again, and what the page before had opened is gone. */
export async function visitFromInside({ page }: Screen, { path, content, open }: VisitedPage): Promise<void> {
  await page.setViewportSize(WIDE);
  for (const address of [NOWHERE, path]) {
    await page.evaluate(leaveFor, address);
    await page.locator(`[${LEFT}]`).waitFor({ state: 'detached' });
  }
  await page.locator(content).first().waitFor();
  for (const step of open ?? []) await step(page);
}

/** Marks what the page before has shown. */
const LEFT = 'data-left';

/** A width in a theme. Layout hangs on width and words, colours on the theme. */
type Look = `${Width}-${Theme}`;
type LooksByLanguage = Readonly<Record<Language, readonly Look[]>>;
interface Looks {
  taken: LooksByLanguage;
  /** Some of those. What axe finds hangs hardly on the words: the languages share the looks. */
  withAxe: LooksByLanguage;
}

const EVERY_LOOK: Looks = {
  taken: {
    de: ['390-light', '390-dark', '820-light', '1280-light', '1440-light', '1440-dark', '1920-light'],
    en: ['390-dark', '820-light', '1280-light', '1920-dark'],
  },
  withAxe: { de: ['390-light', '820-light', '1440-dark', '1920-light'], en: ['390-dark', '1280-light'] },
};
/** One look for each language and each theme. */
const TWO_LOOKS: Looks = {
  taken: { de: ['390-light'], en: ['1280-dark'] },
  withAxe: { de: ['390-light'], en: [] },
};
/** All of them in `npm run test:all`. */
const LOOKS = IS_TEST_ALL ? EVERY_LOOK : TWO_LOOKS;

/** Covered controls, cut and turned text, sideways scrolling, missing title, findings of axe; leaves a screenshot of each look. */
export async function findingsOfEachLook(
  screen: Screen,
  name: string,
  language: Language,
): Promise<string[]> {
  const { page } = screen;
  const found: string[] = [];
  for (const look of LOOKS.taken[language]) {
    await takeLook(page, look);
    await screen.keepScreenshot(`${name}-${language}-${look}`);
    const findings = [
      ...(await sidewaysScroll(page)).map((finding) => `scrolls sideways: ${finding}`),
      ...(await cutTexts(page)).map((text) => `cuts text: ${text}`),
      ...(await turnedTexts(page)).map((text) => `turns text: ${text}`),
      ...(await coveredControls(page)),
      ...(await missingTitle(page)),
      ...(LOOKS.withAxe[language].includes(look) ? await lastingFindings(page) : []),
    ];
    found.push(...findings.map((finding) => `${look} ${finding}`));
  }
  return found;
}

/**
 * What axe finds at every one of three looks. Under load, Chromium paints some elements of a dialog in the colours of
 * the theme before, for a moment after the theme changed: axe then sees light text on white.
 */
async function lastingFindings(page: Page, looks = 3): Promise<string[]> {
  const found = await axeFindings(page);
  if (found.length === 0 || looks === 1) return found;
  await page.evaluate(untilSettled, null);
  return lastingFindings(page, looks - 1);
}

/** Without loading the page again. */
async function takeLook(page: Page, look: Look): Promise<void> {
  const [width, colorScheme] = look.split('-') as [string, Theme];
  await page.setViewportSize({ width: Number(width), height: Number(width) < 1000 ? 1000 : 800 });
  await page.emulateMedia({ colorScheme });
  await page.evaluate(untilSettled, colorScheme);
}

/** In the page: colours may be on their way from one theme to the other. */
declare const document: {
  getAnimations: () => { finished: Promise<unknown> }[];
  querySelector: (selector: string) => { setAttribute: (name: string, value: string) => void } | null;
};
declare const matchMedia: (query: string) => { matches: boolean };
declare const requestAnimationFrame: (then: () => void) => void;
declare const history: { pushState: (state: object, unused: string, address: string) => void };

function leaveFor(address: string): void {
  document.querySelector('main > *')?.setAttribute('data-left', '');
  history.pushState({}, '', address);
}

async function untilSettled(scheme: string | null): Promise<void> {
  const frame = () => new Promise<void>((then) => requestAnimationFrame(then));
  // The page learns of the theme later than the call returns.
  while (scheme !== null && !matchMedia(`(prefers-color-scheme: ${scheme})`).matches) await frame();
  await frame();
  await frame();
  // React Aria hides a dialog by its style until it is ready, which a busy browser shows late.
  while (document.querySelector('[style*=mask-image]') !== null) await frame();
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
}
