import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { fetched, versions } from './programs';

/** Node.js for programs that ask for a newer one than Offizin does. */
export interface RecentNode {
  node: string;
  /** Variables under which other programs find it. */
  environment: Record<string, string>;
}

const RECENT = 24;

/** The present Node.js if it is recent, else the one that `npm run versions` tries. */
export function recentNode(): RecentNode {
  if (Number.parseInt(process.versions.node) >= RECENT) return { node: process.execPath, environment: {} };
  const version = versions.find(({ name }) => name === `Node.js ${RECENT}`);
  if (!version?.node) throw new Error(`The versions lack Node.js ${RECENT}.`);
  const folder = fetched(version, join(checkoutRoot, '.data-versions'));
  return { node: version.node(folder), environment: version.environment(folder) };
}
