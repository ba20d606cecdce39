import { join } from 'node:path';
import { Command } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { endOnSignal } from '@offizin/local-stack/stop-signals';
import { makeBaseImages } from './base-images';
import { copyCheckout } from './checkout-copy';
import { Compose } from './compose';
import { Engine } from './engine';
import { installEngine } from './packages';
import { Trial } from './trial';

/**
 * `npm run containers`: builds the images of deploy/Dockerfile, runs docker-compose.yml on them and walks the main job
 * there. For a nightly run: as root on Debian, where podman can be installed; 10 to 20 minutes.
 *
 * Everything stays in .data-containers, apart from the packages of the engine. Containers, networks and volumes are gone
 * afterwards; images stay, and make the next run faster. Exit code 1 when a step fails.
 */
const program = new Command('containers')
  .description('Builds the images, runs docker-compose.yml on them and walks the main job.')
  .option('--keep', 'leave everything running after the last step, until Ctrl-C', false);

async function main(): Promise<void> {
  const { keep } = program.parse().opts<{ keep: boolean }>();
  const folder = join(checkoutRoot, '.data-containers');
  installEngine();
  const copy = copyCheckout(folder);
  const engine = new Engine(folder);
  const compose = new Compose(engine, copy);
  const trial = new Trial(engine, compose, copy);
  endOnSignal(() => trial.end());
  try {
    await engine.start();
    await trial.step('base images', () => makeBaseImages(engine, folder));
    await trial.run();
    if (keep) await new Promise(() => undefined);
  } finally {
    await trial.end();
  }
}

main().catch((error: unknown) => {
  console.error(`containers: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
