import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { unpackDebian } from '../versions/packages';
import type { Engine } from './engine';

/** Compose 2.26, by Debian's package; deploy needs 2.20. */
const RELEASE = 'trixie';
const PLUGIN = join('usr', 'libexec', 'docker', 'cli-plugins', 'docker-compose');
/** What the walk changes: a receiver without TLS beside the worker, and free ports. */
const OVERRIDE = join(checkoutRoot, 'tools', 'containers', 'compose.override.yml');

/** What `docker compose config` says of a service, as far as it is read here. */
export interface BuiltService {
  image: string;
  build?: { dockerfile: string; target: string; args?: Record<string, string> };
}

/** `docker compose` on the copy of the checkout. */
export class Compose {
  private plugin: string | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly copy: string,
  ) {}

  async run(...parameters: string[]): Promise<string> {
    this.plugin ??= fetchedPlugin(join(this.copy, '..', 'programs', 'compose'));
    const files = ['-f', join(this.copy, 'docker-compose.yml'), '-f', OVERRIDE];
    const project = ['--project-directory', this.copy, ...files, '--ansi', 'never', '--progress', 'plain'];
    return this.engine.command(this.plugin, [...project, ...parameters], this.copy);
  }

  /** All services, those of profiles too. */
  async services(): Promise<Record<string, BuiltService>> {
    const text = await this.run('--profile', '*', 'config', '--format', 'json');
    return (JSON.parse(text) as { services: Record<string, BuiltService> }).services;
  }

  /** Id of the one container of a service. */
  async containerOf(service: string): Promise<string> {
    const id = (await this.run('ps', '--all', '--quiet', service)).trim();
    if (!/^[0-9a-f]+$/.test(id)) throw new Error(`${service} has no container, or several: "${id}"`);
    return id;
  }
}

function fetchedPlugin(folder: string): string {
  const plugin = join(folder, PLUGIN);
  if (existsSync(plugin)) return plugin;
  mkdirSync(folder, { recursive: true });
  unpackDebian('docker-compose', RELEASE, folder);
  return plugin;
}
