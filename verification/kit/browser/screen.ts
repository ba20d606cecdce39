import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { testEnvironment } from '../environment';
import type { TestPerson } from '../person';

export const WIDTHS = [390, 820, 1280, 1440, 1920] as const;
export const THEMES = ['light', 'dark'] as const;
export const LANGUAGES = ['de', 'en'] as const;

const HEIGHTS: Record<Width, number> = { 390: 844, 820: 1180, 1280: 800, 1440: 900, 1920: 1080 };
const LOCALES: Record<Language, string> = { de: 'de-DE', en: 'en-GB' };
const ACTION_LIMIT_MS = 20_000;
/** A key is down for so long: quicker ones are those of a scanner. */
const PERSON_MS = 70;

export type Width = (typeof WIDTHS)[number];
export type Theme = (typeof THEMES)[number];
export type Language = (typeof LANGUAGES)[number];

export interface ScreenOptions {
  width?: Width;
  theme?: Theme;
  language?: Language;
  /** Pixels of the display per px. */
  density?: number;
}

/** Ignored by git. Looked at by people, compared by nothing. */
export const SCREENSHOT_FOLDER = join(checkoutRoot, '.data-screenshots');

/** Figures that a story prints are kept beside its screenshots. */
export function keepText(name: string, text: string): void {
  mkdirSync(SCREENSHOT_FOLDER, { recursive: true });
  writeFileSync(join(SCREENSHOT_FOLDER, `${name}.txt`), `${text}\n`);
}

/** A separate browser context of one person, with its own cookies, storage and tabs. */
export class Screen {
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly faults: Faults,
  ) {}

  static async open(browser: Browser, options: ScreenOptions = {}): Promise<Screen> {
    const { width = 1280, theme = 'light', language = 'de', density = 1 } = options;
    const context = await browser.newContext({
      viewport: { width, height: HEIGHTS[width] },
      deviceScaleFactor: density,
      colorScheme: theme,
      locale: LOCALES[language],
      timezoneId: 'Europe/Berlin',
      baseURL: testEnvironment().baseUrl,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(ACTION_LIMIT_MS);
    const faults = await Faults.watch(context);
    return new Screen(context, await context.newPage(), faults);
  }

  /** Presses keys one after the other, as a person does, such as `press('j', 'Shift+x', 'Enter')`. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key, { delay: PERSON_MS });
  }

  /** Calls to such an address wait until they are released. */
  async holdCalls(pattern: RegExp): Promise<{ untilAsked: Promise<unknown>; release: () => void }> {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(pattern, async (route) => {
      await released;
      // The page may have taken the call back meanwhile.
      await route.continue().catch(() => null);
    });
    return { untilAsked: this.page.waitForRequest(pattern), release };
  }

  /** The answer to the next such call is made by the server, and reaches the page when it is released. */
  async holdAnswer(pattern: RegExp): Promise<{ untilMade: Promise<void>; release: () => void }> {
    let release = (): void => undefined;
    let made = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const untilMade = new Promise<void>((resolve) => (made = resolve));
    const hold = async (route: Route) => {
      const response = await route.fetch();
      made();
      await released;
      // The page may have taken the call back meanwhile.
      await route.fulfill({ response }).catch(() => null);
    };
    await this.page.route(pattern, hold, { times: 1 });
    return { untilMade, release };
  }

  /** Continuous integration keeps none: no person looks at them there. */
  async keepScreenshot(name: string): Promise<void> {
    if (process.env['CI'] === 'true') return;
    mkdirSync(SCREENSHOT_FOLDER, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOT_FOLDER, `${name}.png`) });
  }

  /** The page as it is printed, as a PDF, which is kept like a screenshot. */
  async keepPaper(name: string): Promise<Buffer> {
    mkdirSync(SCREENSHOT_FOLDER, { recursive: true });
    return this.page.pdf({ preferCSSPageSize: true, path: join(SCREENSHOT_FOLDER, `${name}.pdf`) });
  }
}

/**
 * Gives each test of a file its own screens, and fails the test when one of them had a fault that the test did not
 * expect. Call it at the top of the file.
 */
export function useScreens(): (options?: ScreenOptions) => Promise<Screen> {
  const browser = useBrowser();
  let opened: Screen[] = [];
  afterEach(async () => {
    const screens = opened;
    opened = [];
    await closeAll(screens);
    failOnFaults(screens);
  });
  return async (options) => {
    const screen = await Screen.open(browser(), options);
    opened.push(screen);
    return screen;
  };
}

interface KeptScreens {
  /** The screen that was kept under the name; else undefined. A test that fails leaves none behind. */
  take: (name: string) => Screen | undefined;
  open: (options: ScreenOptions) => Promise<Screen>;
  /** For the next test, with what it has loaded. */
  keep: (name: string, screen: Screen) => void;
}

/** As useScreens, for a file that looks at many pages: a test may leave its screens to the next one. */
export function useKeptScreens(): KeptScreens {
  const browser = useBrowser();
  const kept = new Map<string, Screen>();
  let used = new Set<Screen>();
  afterEach(async () => {
    const screens = [...used];
    used = new Set();
    const faulty = screens.filter(({ faults }) => faults.unexpected.length > 0);
    for (const [name, screen] of kept) if (faulty.includes(screen)) kept.delete(name);
    await closeAll(screens.filter((screen) => ![...kept.values()].includes(screen)));
    failOnFaults(faulty);
  });
  afterAll(() => closeAll([...kept.values()]));
  return {
    take: (name) => {
      const screen = kept.get(name);
      if (screen) used.add(screen);
      kept.delete(name);
      return screen;
    },
    open: async (options) => {
      const screen = await Screen.open(browser(), options);
      used.add(screen);
      return screen;
    },
    keep: (name, screen) => kept.set(name, screen),
  };
}

/** One connection per file. */
function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const { browserUrl } = testEnvironment();
    if (browserUrl === null) throw new Error('No browser was found: see the first lines of `npm test`.');
    browser = await chromium.connect(browserUrl);
  });
  afterAll(async () => browser?.close());
  return () => {
    if (!browser) throw new Error('screens are opened inside of tests');
    return browser;
  };
}

async function closeAll(screens: readonly Screen[]): Promise<void> {
  await Promise.all(screens.map(({ context }) => context.close()));
}

function failOnFaults(screens: readonly Screen[]): void {
  const faults = screens.flatMap((screen) => screen.faults.unexpected);
  if (faults.length > 0) throw new Error(`faults in the browser:\n${[...new Set(faults)].join('\n')}`);
}

/** The browser logs each refused answer; the check for a session before signing in is one. */
export const SIGNED_OUT = /status of 401 .*\/console\/api\/session:/;

/** Gives the browser the person's session, without the page of signing in. */
export async function signInAs({ context }: Screen, person: TestPerson): Promise<void> {
  await addSession(context, person, testEnvironment().baseUrl);
}

/** Opens an address of the console as this person. */
export async function openAs(screen: Screen, person: TestPerson, address: string): Promise<Page> {
  await signInAs(screen, person);
  await screen.page.goto(address);
  return screen.page;
}

export async function addSession(
  context: BrowserContext,
  { cookie }: TestPerson,
  baseUrl: string,
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  // The protocol takes cookies with this prefix for https addresses only; the browser then sends them to its own machine.
  const url = new URL(baseUrl.replace(/^http:/, 'https:')).origin;
  await context.addCookies([{ name, value, url, httpOnly: true, secure: true, sameSite: 'Strict' }]);
}

/** In the page; this file is compiled without the browser's types. */
interface Violation {
  effectiveDirective: string;
  blockedURI: string;
  sourceFile: string;
  sample: string;
}
declare const document: {
  addEventListener: (type: 'securitypolicyviolation', listener: (event: Violation) => void) => void;
};
declare const reportViolation: (text: string) => Promise<void>;

/** What goes wrong in the pages of one context, seen by the browser itself. */
class Faults {
  private readonly found: string[] = [];
  private readonly expected: RegExp[] = [];

  /** Call it before the first page is opened. */
  static async watch(context: BrowserContext): Promise<Faults> {
    const faults = new Faults();
    await context.exposeBinding('reportViolation', (_source, text: string) => {
      faults.found.push(`policy violation: ${text}`);
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        const { effectiveDirective, blockedURI, sourceFile, sample } = event;
        void reportViolation(`${effectiveDirective} blocked ${blockedURI} in ${sourceFile} ${sample}`);
      });
    });
    context.on('page', (page) => faults.watchPage(page));
    return faults;
  }

  /** Faults that match are part of the story: a refused answer is an error line in the browser's console. */
  expect(...patterns: RegExp[]): void {
    this.expected.push(...patterns);
  }

  get unexpected(): string[] {
    return this.found.filter((fault) => !this.expected.some((pattern) => pattern.test(fault)));
  }

  private watchPage(page: Page): void {
    page.on('console', (message) => {
      if (message.type() !== 'error') return;
      const { url, lineNumber } = message.location();
      this.found.push(`console error: ${message.text()} (${url}:${lineNumber})`);
    });
    page.on('pageerror', (error) => this.found.push(`page error: ${error.stack ?? error.message}`));
    page.on('crash', () => this.found.push('the page crashed'));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // The page took it back itself: it left, or its question had become stale.
      if (reason === 'net::ERR_ABORTED') return;
      this.found.push(`request failed: ${request.method()} ${request.url()} ${reason}`);
    });
  }
}
