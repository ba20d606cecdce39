import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ErasureLedgerEntry } from '@offizin/contracts/people/erasure-ledger';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { Database } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { validate } from '@offizin/operations/validate';
import { appendAudit } from '../audit/audit.store';
import type { DataKeys } from '../crypto/data-keys.store';
import { encrypt } from '../crypto/encryption';
import type { Eraser } from './eraser';
import {
  emailsByHash,
  type ErasureJob,
  insertErasure,
  isAnyUnfinished,
  unknownErasures,
} from './erasure-jobs.store';
import { auditObjectOf } from './erasure-subject';

const WAIT_MS = 100;

/**
 * Applies erasures made after the backup from which the database was restored. The file holds one erasure per line,
 * written by `npm run offizin -- restore` or `erasures`. Must complete before the service accepts requests.
 *
 * Guarantees: when it resolves, every erasure of the file has been carried out, by this process or another one. It is
 * idempotent by the id of the erasure.
 */
export async function applyErasureLedger(
  file: string,
  { database, dataKeys, eraser }: { database: Database; dataKeys: DataKeys; eraser: Eraser },
): Promise<void> {
  const entries = readLedger(await readFile(file, 'utf8'));
  const ids = entries.map(({ id }) => id);
  const wanted = new Set(await unknownErasures(database, entries));
  const missing = entries.filter(({ id }) => wanted.has(id));
  for (const orgId of new Set(missing.map(({ org_id }) => org_id)))
    await store(
      database,
      await dataKeys.keyOf(orgId),
      missing.filter(({ org_id }) => org_id === orgId),
    );
  while (await isAnyUnfinished(database, ids)) {
    await eraser.continueJobs();
    // Another process may hold the last job.
    await delay(WAIT_MS);
  }
  log.info({ erasures: entries.length, applied: missing.length }, 'erasures of the ledger applied');
}

/** Throws when a line is not an erasure: starting without it could expose erased data. */
export function readLedger(text: string): ErasureLedgerEntry[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    try {
      return validate(ErasureLedgerEntry, JSON.parse(line) as object);
    } catch (error) {
      throw new Error(`line ${index + 1} of the erasure ledger is not an erasure`, { cause: error });
    }
  });
}

async function store(database: Database, key: Buffer, entries: ErasureLedgerEntry[]): Promise<void> {
  const hashes = new Set(entries.flatMap(({ email_hash }) => email_hash ?? []));
  const [first] = entries;
  const emails = first ? await emailsByHash(database, first.org_id, key, hashes) : new Map<string, string>();
  for (const entry of entries) {
    const job = jobOf(entry, key, entry.email_hash === null ? undefined : emails.get(entry.email_hash));
    await database.transaction(async (tx) => {
      if (!(await insertErasure(tx, job))) return;
      await appendAudit(tx, callerOf(entry), 'customer.erase', auditObjectOf(job));
    });
  }
}

function jobOf(entry: ErasureLedgerEntry, key: Buffer, email: string | undefined): ErasureJob {
  const { id, org_id, email_hash, object_kind, object_id, actor_kind, actor_id, request_id } = entry;
  return {
    id,
    org_id,
    object_kind,
    object_id,
    actor_kind,
    actor_id,
    request_id,
    email_hash: email_hash === null ? null : Buffer.from(email_hash, 'hex'),
    email_ciphertext: email === undefined ? null : encrypt(key, Buffer.from(email), id),
  };
}

function callerOf({
  org_id: orgId,
  actor_kind: kind,
  actor_id: actorId,
  request_id: requestId,
}: ErasureLedgerEntry): Caller {
  return { kind, orgId, shopId: null, actorId, scopes: [], requestId };
}
