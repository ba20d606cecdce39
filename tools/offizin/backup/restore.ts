import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErasureLedgerEntry } from '@offizin/contracts/erasure-ledger';
import { ERASURE_LEDGER } from '@offizin/local-stack/apps';
import { lockDataDir } from '@offizin/local-stack/stack-lock';
import { localCopies } from './contents';
import { addToLedger, readLedgerFile, readStoppedErasures } from './erasure-ledger';

const database = 'postgres';
const databaseName = 'offizin';
/** Created again by the next start: an old broker would deliver events of changes that the restore undid. */
const madeAnew = ['nats', 'nats-1', 'nats-2', 'nats-3', 'run', 'demo.json'];

export interface RestoreOptions {
  /** Lose the database that is in the data folder. */
  replace?: boolean;
  /** Ledger of erasures, newer than the backup. */
  erasures?: string;
  /** Restore although erasures made after the backup are not known. */
  withoutErasures?: boolean;
}

/**
 * `npm run offizin -- restore`: puts a backup into a data folder, for the next `npm start` there. Resolves with the number
 * of erasures in the ledger, which this start applies before anything is served.
 *
 * Throws when a stack runs on the folder, when the backup is not complete, or when the folder holds a database and
 * `replace` was not said. Throws, too, when no ledger lists the customers who were erased after the backup.
 */
export async function restore(backup: string, dataDir: string, options: RestoreOptions): Promise<number> {
  if (!existsSync(join(backup, database, 'backup_label')))
    throw new Error(`${backup} holds no complete backup: ${join(database, 'backup_label')} is missing.`);
  await mkdir(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  try {
    const present = join(dataDir, database);
    if (existsSync(present) && !options.replace)
      throw new Error(`${dataDir} holds a database. Say --replace to lose it, or name another --data-dir.`);
    const erasures = await knownErasures(dataDir, existsSync(present), options);
    // Copied beside its place first: a copy that fails half-way leaves the old database where it was.
    const draft = `${present}.restored`;
    await rm(draft, { recursive: true, force: true });
    await cp(join(backup, database), draft, { recursive: true, preserveTimestamps: true });
    // Before the old database goes: a restore that is interrupted here has lost no erasure.
    const count = await addToLedger(join(dataDir, ERASURE_LEDGER), erasures);
    for (const name of [database, ...madeAnew])
      await rm(join(dataDir, name), { recursive: true, force: true });
    await rename(draft, present);
    for (const name of localCopies)
      if (existsSync(join(backup, name))) await cp(join(backup, name), join(dataDir, name));
    return count;
  } finally {
    unlock();
  }
}

/** From the named ledger and from the database that is replaced. */
async function knownErasures(
  dataDir: string,
  holdsDatabase: boolean,
  { erasures, withoutErasures }: RestoreOptions,
): Promise<ErasureLedgerEntry[]> {
  const named = erasures === undefined ? [] : await readLedgerFile(erasures);
  if (withoutErasures) return named;
  if (holdsDatabase) {
    const stored = await readStoppedErasures(dataDir, databaseName).catch((error: unknown) => {
      if (erasures !== undefined) return [];
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The erasures of the database in ${dataDir} cannot be read. ${ADVICE}\n${reason}`);
    });
    return [...named, ...stored];
  }
  if (erasures === undefined && !existsSync(join(dataDir, ERASURE_LEDGER)))
    throw new Error(`${dataDir} holds no database that knows which customers were erased. ${ADVICE}`);
  return named;
}

const ADVICE =
  `Name the newest ledger by --erasures <file> (each backup holds one: ${ERASURE_LEDGER}; ` +
  `"erasures <file>" writes one), or say --without-erasures: then customers erased after the backup are back.`;
