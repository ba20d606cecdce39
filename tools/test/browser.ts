import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { findChromium } from '@offizin/testkit/browser/find-chromium';

/** Ending of the specs that need a browser. */
export const BROWSER_SPEC = '.browser.spec.ts';

/** Where the browser is, or why there is none; `unneeded` when the run has no test of it. */
export type FoundBrowser = { path: string } | { missing: string } | 'unneeded';

/** May install a package, so it starts before everything else; never rejects. */
export async function findBrowser(paths: string[]): Promise<FoundBrowser> {
  if (!selectsBrowserSpec(paths)) return 'unneeded';
  try {
    return { path: await findChromium() };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

function selectsBrowserSpec(paths: string[]): boolean {
  const files = ['e2e', 'tools'].flatMap((folder) =>
    readdirSync(join(checkoutRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(BROWSER_SPEC))
      .map((file) => join(checkoutRoot, folder, file)),
  );
  if (paths.length === 0) return files.length > 0;
  return files.some((file) => paths.some((path) => new RegExp(path, 'i').test(file)));
}
