import { Command } from 'commander';
import { endOnSignal } from '@offizin/local-stack/supervised-process';
import { containerTrials, removeContainers } from './containers';
import { generatorTrials } from './generators';
import { interrupt, type Trial } from './programs';
import { versionTrials } from './versions';

/**
 * `npm run versions`, `npm run generators`, `npm run containers`: Offizin with other versions of PostgreSQL, NATS and
 * Node.js; the running demo with the tools that integrators use; the images and docker-compose.yml. For Linux on x64 with
 * Debian's apt-get. `programs` fetches and runs what is tried. Everything stays in .data-versions, .data-generators and
 * .data-containers. Exit code 1 when a trial fails.
 */
const program = new Command('trials').description('Tries Offizin with other programs and in containers.');
const ONLY = ['--only <text>', 'only those whose name contains this, such as "NATS"', ''] as const;

endOnSignal(() => {
  interrupt();
  return removeContainers();
});

program
  .command('versions')
  .description('tries other versions of PostgreSQL, NATS and Node.js')
  .option(...ONLY)
  .action(async ({ only }: { only: string }) => {
    for (const trial of chosen(versionTrials, only)) await tried(trial);
  });

program
  .command('generators')
  .description('tries the tools that integrators use against the running demo (npm start)')
  .option(...ONLY)
  .action(async ({ only }: { only: string }) => {
    for (const trial of chosen(await generatorTrials(), only)) await tried(trial);
  });

program
  .command('containers')
  .description('builds the images and runs docker-compose.yml on them')
  .action(async () => {
    try {
      for (const trial of containerTrials) if (!(await tried(trial))) return;
    } finally {
      await removeContainers();
    }
  });

function chosen(trials: readonly Trial[], only: string): readonly Trial[] {
  const found = trials.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (found.length === 0) throw new Error(`None has "${only}" in its name.`);
  return found;
}

/** Runs a trial and prints its line. */
async function tried({ name, run }: Trial): Promise<boolean> {
  const startedAt = performance.now();
  const result = await run().catch((error: unknown) => {
    process.exitCode = 1;
    return error instanceof Error ? error : new Error(String(error));
  });
  const isFine = typeof result === 'string';
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
  console.log(`${isFine ? 'ok  ' : 'FAIL'} ${seconds} s  ${name}: ${isFine ? result : result.message}`);
  return isFine;
}

program.parseAsync().catch((error: unknown) => {
  console.error(`${process.argv[2] ?? 'trials'}: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
