import { join } from 'node:path';
import { Command } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { endOnSignal } from '@offizin/local-stack/stop-signals';
import { stopAll } from '../up/own-demo';
import { fetched, type Version, versions } from './programs';
import { tryVersion } from './trial';

/**
 * `npm run versions`: tries Offizin with each supported version of PostgreSQL, NATS and Node.js, one after the other. Each
 * has the smoke walk on a started stack, and the outages of `npm test`. For Linux on x64 with Debian's apt-get.
 *
 * Programs and logs stay in .data-versions; nothing is installed. Exit code 1 when one fails.
 */
const program = new Command('versions')
  .description('Tries Offizin with other versions of PostgreSQL, NATS and Node.js.')
  .option('--only <text>', 'only the versions whose name contains this, such as "NATS"', '');

async function main(): Promise<void> {
  const { only } = program.parse().opts<{ only: string }>();
  const chosen = versions.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  endOnSignal(stopAll);
  if (chosen.length === 0) throw new Error(`No version has "${only}" in its name.`);
  for (const version of chosen) if (!(await isFine(version))) process.exitCode = 1;
}

async function isFine(version: Version): Promise<boolean> {
  try {
    const folder = fetched(version, join(checkoutRoot, '.data-versions'));
    const node = version.node?.(folder) ?? process.execPath;
    const { environment, found, specs = [] } = version;
    const verdict = await tryVersion({ node, folder, found, specs, environment: environment(folder) });
    const word = verdict.isFine ? 'ok  ' : 'FAIL';
    console.log(`${word} ${version.name}: ${verdict.smoke}; tests: ${verdict.tests}`);
    return verdict.isFine;
  } catch (error) {
    console.log(`FAIL ${version.name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

main().catch((error: unknown) => {
  console.error(`versions: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
