import { source } from 'axe-core';
import type { Page } from 'playwright-core';

/** The part of the browser's types that the checks below need; they run in the page. */
interface Box {
  left: number;
  top: number;
  right: number;
  width: number;
  height: number;
}
interface PageElement {
  tagName: string;
  className: unknown;
  textContent: string;
  scrollWidth: number;
  clientWidth: number;
  scrollHeight: number;
  clientHeight: number;
  childNodes: Iterable<{ nodeType: number; textContent: string }>;
  getAttribute: (name: string) => string | null;
  getBoundingClientRect: () => Box;
  scrollIntoView: (options: { block: 'center'; inline: 'center'; behavior: 'instant' }) => void;
  checkVisibility: (options: { visibilityProperty: true }) => boolean;
  contains: (other: PageElement) => boolean;
  closest: (selector: string) => PageElement | null;
  parentElement: PageElement | null;
  scrollTop: number;
  scrollLeft: number;
  matches: (selector: string) => boolean;
}
declare const document: {
  createElement: (name: 'canvas') => { getContext: (kind: '2d') => Pen };
  documentElement: PageElement;
  querySelectorAll: (selector: string) => Iterable<PageElement>;
  elementFromPoint: (x: number, y: number) => PageElement | null;
};
interface Pen {
  font: string;
  measureText: (text: string) => { width: number };
}
declare const getComputedStyle: (
  element: PageElement,
) => Record<'overflowX' | 'overflowY' | 'font' | 'paddingLeft' | 'paddingRight', string>;

const CONTROLS =
  'button, a[href], input, select, textarea, summary, [role=button], [role=tab], [role=link], [role=checkbox], [role=switch]';

/**
 * Controls that something else covers: a click at their centre would hit another element. What is one pixel wide is for
 * screen readers only.
 */
export async function coveredControls(page: Page): Promise<string[]> {
  return page.evaluate((controls) => {
    const nameOf = (element: PageElement): string => {
      const text = element.getAttribute('aria-label') ?? element.textContent;
      return `<${element.tagName.toLowerCase()} class="${String(element.className)}"> ${text.trim().slice(0, 40)}`;
    };
    const isForReadersOnly = (element: PageElement | null): boolean =>
      element !== null && (element.clientWidth === 1 || isForReadersOnly(element.parentElement));
    const scrolled = [...document.querySelectorAll('*')].map((element): [PageElement, number, number] => [
      element,
      element.scrollTop,
      element.scrollLeft,
    ]);
    const covered: string[] = [];
    for (const control of document.querySelectorAll(controls)) {
      if (!control.checkVisibility({ visibilityProperty: true }) || isForReadersOnly(control)) continue;
      // A link that skips to the content comes into view when it has the focus.
      if (control.matches('a[href^="#"]')) continue;
      // Behind a dialog nothing can be used, on purpose.
      if (
        control.matches(':disabled') ||
        control.closest('[inert], [aria-hidden=true], [aria-disabled=true]')
      )
        continue;
      control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const { left, top, width, height } = control.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      if (hit !== null && control.contains(hit)) continue;
      covered.push(`${nameOf(control)} is covered by ${hit === null ? 'the window edge' : nameOf(hit)}`);
    }
    for (const [element, top, left] of scrolled) {
      element.scrollTop = top;
      element.scrollLeft = left;
    }
    return covered;
  }, CONTROLS);
}

/** Elements that make the page wider than the window. */
export async function sidewaysScroll(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const outside: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const { right } = element.getBoundingClientRect();
      if (right > clientWidth + 1)
        outside.push(
          `<${element.tagName.toLowerCase()} class="${String(element.className)}"> to ${Math.round(right)}`,
        );
    }
    return [`the page is ${scrollWidth} wide in ${clientWidth}`, ...outside.slice(0, 5)];
  });
}

/** Text that is cut off without a title that shows the whole. */
export async function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isForReadersOnly = (element: PageElement | null): boolean =>
      element !== null && (element.clientWidth === 1 || isForReadersOnly(element.parentElement));
    const cut: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const hasText = [...element.childNodes].some(
        (node) => node.nodeType === 3 && node.textContent.trim() !== '',
      );
      if (!hasText || isForReadersOnly(element) || element.matches('input, textarea, script, style'))
        continue;
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      const { overflowX, overflowY } = getComputedStyle(element);
      const hides = (overflow: string): boolean => overflow === 'hidden' || overflow === 'clip';
      const tooWide = hides(overflowX) && element.scrollWidth > element.clientWidth + 1;
      const tooHigh = hides(overflowY) && element.scrollHeight > element.clientHeight + 1;
      if ((tooWide || tooHigh) && element.closest('[title]') === null)
        cut.push(element.textContent.trim().slice(0, 60));
    }
    return cut;
  });
}

/** Marks of direction outside of fields and of bodies as they were sent: they turn the words and figures after them. */
export async function turnedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const turned: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      if (element.matches('input, textarea, pre, script, style')) continue;
      const own = [...element.childNodes].flatMap((node) => (node.nodeType === 3 ? node.textContent : []));
      const given = ['title', 'aria-label'].map((name) => element.getAttribute(name) ?? '');
      turned.push(
        ...[...own, ...given].filter((text) => /[\u200e\u200f\u202a-\u202e\u2066\u2067]/.test(text)),
      );
    }
    return turned.map((text) => JSON.stringify(text.trim().slice(0, 60)));
  });
}

/** A page has one title, and a second one when an object is open beside its list. */
export async function missingTitle(page: Page): Promise<string[]> {
  const titles = await page.evaluate(() =>
    [...document.querySelectorAll('h1')]
      .filter((title) => title.checkVisibility({ visibilityProperty: true }))
      .map(({ textContent }) => textContent.trim()),
  );
  return titles.length === 1 || titles.length === 2 ? [] : [`titles: ${titles.join(', ')}`];
}

/** Empty fields whose placeholder is cut, so that a person cannot read what to type. */
export async function cutPlaceholders(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const pen = document.createElement('canvas').getContext('2d');
    const cut: string[] = [];
    for (const field of document.querySelectorAll('input:placeholder-shown')) {
      const text = field.getAttribute('placeholder') ?? '';
      if (!field.checkVisibility({ visibilityProperty: true })) continue;
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      pen.font = font;
      const width = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      if (pen.measureText(text).width > width) cut.push(`${text}: ${Math.round(width)} px`);
    }
    return cut;
  });
}

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
