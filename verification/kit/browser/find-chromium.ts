import { existsSync, readFileSync } from 'node:fs';
import {
  findProgram,
  installDebianPackages,
  isProgram,
  mayInstallPackages,
} from '@offizin/local-stack/program-path';

/** The shell first: the same engine without a window, at a third of the processor time of a whole browser. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];
const PACKAGE = 'chromium-headless-shell';

/**
 * Path of a Chromium: `CHROMIUM_PATH`, else on the path, else Debian's package, which it installs when it may. Rejects
 * with a sentence that says what to do.
 */
export async function findChromium(): Promise<string> {
  const present = presentChromium();
  if (present) return present;
  if (!isDebian() || !mayInstallPackages())
    throw new Error('There is no Chromium on the path. Install it, or name it in CHROMIUM_PATH.');
  process.stderr.write(`offizin: installing Debian's package ${PACKAGE}\n`);
  const problem = await installDebianPackages(PACKAGE);
  const installed = findProgram(NAMES);
  if (!installed) throw new Error(problem ?? `Debian's package ${PACKAGE} brought no browser.`);
  return installed;
}

/** Throws when `CHROMIUM_PATH` names no program. */
export function presentChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (!named) return findProgram(NAMES);
  if (isProgram(named)) return named;
  throw new Error(`CHROMIUM_PATH names no program: ${named}`);
}

/** Ubuntu's package of that name wants a snap. */
function isDebian(): boolean {
  const release = '/etc/os-release';
  return existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
}
