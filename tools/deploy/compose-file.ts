import { parse } from 'yaml';
import { appNames, type AppName } from '@offizin/local-stack/apps';
import { SECRETS_FOLDER } from '@offizin/runtime/config';
import type { DescribedApp } from './app-drift';
import { imageReference, isFloating } from './image-pins';
import { composeSecrets } from './installation-volumes';

export interface ComposeService {
  image: string;
  build?: { dockerfile: string };
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: (string | BindMount)[];
  networks?: string[];
  network_mode?: string;
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  read_only?: boolean;
  user?: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  mem_limit?: string;
  logging?: { driver: string; options: Record<string, string> };
}

export interface BindMount {
  type: string;
  source: string;
  target: string;
  read_only?: boolean;
  bind: { create_host_path: boolean };
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } } | null>;
  volumes: Record<string, null>;
  configs: Record<string, { content: string }>;
}

export function parseCompose(text: string): ComposeFile {
  return parse(text, { merge: true }) as ComposeFile;
}

/** Compose kills a service after 10 s by default. */
const defaultGraceSeconds = 10;

/** The apps and their migrations, as in docker-compose.yml. */
export function composeApps(file: ComposeFile): DescribedApp[] {
  return Object.entries(file.services).flatMap(([name, service]) => {
    const app = appNames.find((one) => name === one || name === `migrate-${one}`);
    return app ? [describe(name, app, service)] : [];
  });
}

function describe(name: string, app: AppName, service: ComposeService): DescribedApp {
  return {
    where: `docker-compose.yml, ${name}`,
    app,
    migration: service.command?.[0] === 'migrate',
    image: withDefaults(service.image),
    arguments: service.command ?? [],
    // An empty variable is as good as none.
    environment: Object.fromEntries(
      Object.entries(service.environment ?? {})
        .map(([variable, value]): [string, string] => [variable, withDefaults(value)])
        .filter(([, value]) => value !== ''),
    ),
    secretFiles: Object.fromEntries(
      Object.entries(secretsOf(service)).map(([name, source]) => [`${SECRETS_FOLDER}/${name}`, source]),
    ),
    probes: probesIn(service),
    servedPorts: (service.ports ?? []).map((port) => Number(port.split(':').at(-1))),
    graceSeconds: Number(/^(\d+)s$/.exec(service.stop_grace_period ?? '')?.[1] ?? defaultGraceSeconds),
    preStopSeconds: 0,
    hardening: {
      readOnlyRoot: service.read_only === true,
      noNewPrivileges: service.security_opt?.includes('no-new-privileges:true') === true,
      dropsAllCapabilities: service.cap_drop?.includes('ALL') === true,
    },
  };
}

/** File → name in `newSecrets`, of the volume that it has at the folder of secrets. */
export function secretsOf({ volumes = [] }: ComposeService): Record<string, string> {
  const mounted = volumes.filter((volume) => typeof volume === 'string');
  const owners = mounted.map((volume) => /^(.*)-files:\/run\/secrets:ro$/.exec(volume)?.[1]);
  return Object.assign({}, ...owners.map((owner) => composeSecrets[owner ?? ''])) as Record<string, string>;
}

/** Replaces `${NAME:-default}` by its default and `${NAME:+text}` by nothing, as Compose does for an unset variable. */
export function withDefaults(value: string): string {
  const replaced = value
    .replace(/\$\{\w+:-([^{}]*)\}/g, (_whole, fallback: string) => fallback)
    .replace(/\$\{\w+:\+[^{}]*\}/g, '');
  return replaced === value ? value : withDefaults(replaced);
}

/** docker-compose.yml of a release: it runs this image unless OFFIZIN_IMAGE names another one. */
export function releasedCompose(text: string, image: string): string {
  if (isFloating(imageReference(image)))
    throw new Error(`${image} names no version: pin it by its digest, ${image}@sha256:…`);
  return text.replace(/(?<=\$\{OFFIZIN_IMAGE:-)[^}]*/, () => image);
}

function probesIn({ healthcheck }: ComposeService): DescribedApp['probes'] {
  const urls = (healthcheck?.test.join(' ') ?? '').matchAll(/http:\/\/127\.0\.0\.1:(\d+)(\/[\w/?=-]*)/g);
  return [...urls].map(([, port, path = '']) => ({ port: Number(port), path }));
}
