import { Command } from 'commander';
import { endOnSignal } from '@offizin/local-stack/supervised-process';
import { ContainerTrial } from './containers';
import { generatorTrials } from './generators';
import { stopAll } from './own-demo';
import type { Trial } from './programs';
import { versionTrials } from './versions';

/**
 * `npm run versions`, `npm run generators`, `npm run containers`: Offizin with other versions of PostgreSQL,
 * NATS and Node.js, with the tools that integrators use, and in the containers of docker-compose.yml. For Linux on x64 with Debian's apt-get.
 *
 * Cast: a table of each in `versions`, `generators` and `containers`; `programs` (fetches what is tried), `own-demo`
 * (a separate demo), `engine` (podman and Compose). Everything stays in .data-versions, .data-generators and
 * .data-containers; only the packages of the container engine are installed. Exit code 1 when a trial fails.
 */
const program = new Command('trials').description('Tries Offizin with other programs and in containers.');
const ONLY = '--only <text>';

program
  .command('versions')
  .description('tries other versions of PostgreSQL, NATS and Node.js')
  .option(ONLY, 'only the versions whose name contains this, such as "NATS"', '')
  .action(async ({ only }: { only: string }) => {
    endOnSignal(stopAll);
    for (const trial of chosen(versionTrials, only)) await tried(trial);
  });

program
  .command('generators')
  .description('tries the tools that integrators use with the published description')
  .option(ONLY, 'only the tools whose name contains this, such as "orval"', '')
  .option('--description <file>', 'this description, instead of the one that the gateway serves')
  .action(async ({ only, description }: { only: string; description?: string }) => {
    endOnSignal(stopAll);
    await generatorTrials(description, async (trials) => {
      for (const trial of chosen(trials, only)) await tried(trial);
    });
  });

program
  .command('containers')
  .description('builds the images, runs docker-compose.yml on them and walks the main job')
  .option('--keep', 'leave everything running after the last step, until Ctrl-C', false)
  .action(async ({ keep }: { keep: boolean }) => {
    const containers = new ContainerTrial();
    endOnSignal(() => containers.end());
    try {
      // A step needs those before it.
      for await (const step of containers.steps()) if (!(await tried(step))) return;
      if (keep) await new Promise(() => undefined);
    } finally {
      await containers.end(process.exitCode === 1);
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
