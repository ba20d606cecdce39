import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startBrowser } from '@offizin/testkit/browser/browser-server';
import { findChromium } from '@offizin/testkit/browser/find-chromium';
import { addSession } from '@offizin/testkit/browser/screen';
import type { TestPerson } from '@offizin/testkit/person';
import type { Bench } from '../bench';
import { Skipped } from '../row';
import { peopleOf } from '../seed/people';
import { tenantWithRequests } from '../seed/requests';
import { installProbe, readStopwatch, startStopwatch } from './probe';
import { serveReferencePage } from './reference-page';

const ACTION_LIMIT_MS = 20_000;
const WINDOW = { width: 1920, height: 1080 };

/** A pharmacist at a browser, in front of the full inbox. */
export interface Visit {
  /** The same window in front of the reference page. */
  referenceUrl: string;
  consoleUrl: string;
  /** A window with nothing in its cache; the pharmacist is signed in. */
  newWindow: () => Promise<Page>;
}

/** The browser ends with the work. Throws `Skipped` where there is none. */
export async function visiting<T>(bench: Bench, work: (visit: Visit) => Promise<T>): Promise<T> {
  const program = await findChromium().catch((error: unknown) => {
    throw new Skipped(error instanceof Error ? error.message : String(error));
  });
  const [person] = await peopleOf(bench, await tenantWithRequests(bench), 'pharmacist', 1);
  if (!person) throw new Error('nobody was invited');
  await bench.settle();
  const folder = mkdtempSync(join(tmpdir(), 'offizin-bench-browser-'));
  const server = await startBrowser(program, folder);
  const reference = await serveReferencePage();
  try {
    const browser = await chromium.connect(server.url);
    const consoleUrl = `${bench.stack.urls.gateway}/console`;
    return await work({
      referenceUrl: reference.url,
      consoleUrl,
      newWindow: () => newWindow(browser, person, consoleUrl),
    });
  } finally {
    reference.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function newWindow(browser: Browser, person: TestPerson, consoleUrl: string): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: WINDOW, locale: 'de-DE' });
  context.setDefaultTimeout(ACTION_LIMIT_MS);
  await context.addInitScript(installProbe);
  await addSession(context, person, consoleUrl);
  return context.newPage();
}

/** Opens the address and answers when each selector was painted, in ms since the navigation. */
export async function timedLoad(page: Page, url: string, selectors: string[]): Promise<number[]> {
  await page.goto(url, { waitUntil: 'commit' });
  await page.evaluate(startStopwatch, { selectors, since: 'navigation' as const });
  return limited(page.evaluate(readStopwatch), selectors);
}

/** Presses the keys and answers when each selector was painted, in ms since the last of them. */
export async function timedKeys(page: Page, keys: string[], selectors: string[]): Promise<number[]> {
  for (const key of keys.slice(0, -1)) await page.keyboard.press(key);
  await page.evaluate(startStopwatch, { selectors, since: 'key' as const });
  await page.keyboard.press(keys.at(-1) ?? '');
  return limited(page.evaluate(readStopwatch), selectors);
}

async function limited(times: Promise<number[]>, selectors: string[]): Promise<number[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`never painted: ${selectors.join(', ')}`));
    }, ACTION_LIMIT_MS);
  });
  try {
    return await Promise.race([times, late]);
  } finally {
    clearTimeout(timer);
  }
}
