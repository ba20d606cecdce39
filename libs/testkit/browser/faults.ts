import type { BrowserContext, Page } from 'playwright-core';

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
export class Faults {
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
