import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataDir } from '@offizin/local-stack/stack-lock';
import { localCopies } from './contents';

const database = 'postgres';
/** Made anew by the next start: a broker that knows of later changes would tell of what is no more. */
const madeAnew = ['nats', 'nats-1', 'nats-2', 'nats-3', 'run', 'demo.json'];

/**
 * `npm run offizin -- restore`: puts a backup into a data folder, for the next `npm start` there. Throws when a stack runs
 * on the folder, when the backup is not complete, or when the folder holds a database and `replace` was not said.
 */
export async function restore(backup: string, dataDir: string, replace: boolean): Promise<void> {
  if (!existsSync(join(backup, database, 'backup_label')))
    throw new Error(`${backup} holds no complete backup: ${join(database, 'backup_label')} is missing.`);
  await mkdir(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  try {
    const present = join(dataDir, database);
    if (existsSync(present) && !replace)
      throw new Error(`${dataDir} holds a database. Say --replace to lose it, or name another --data-dir.`);
    // Copied beside its place first: a copy that fails half-way leaves the old database where it was.
    const draft = `${present}.restored`;
    await rm(draft, { recursive: true, force: true });
    await cp(join(backup, database), draft, { recursive: true, preserveTimestamps: true });
    for (const name of [database, ...madeAnew])
      await rm(join(dataDir, name), { recursive: true, force: true });
    await rename(draft, present);
    for (const name of localCopies)
      if (existsSync(join(backup, name))) await cp(join(backup, name), join(dataDir, name));
  } finally {
    unlock();
  }
}
