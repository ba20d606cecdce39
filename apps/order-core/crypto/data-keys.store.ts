import { WARM_UP_ORG_ID } from '@offizin/contracts/calls/caller';
import { type Database, type Sql, statement } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import type { DataKeyEntity } from '../db/entities';
import { decrypt, encrypt, newDataKey } from './encryption';

const find = statement<Pick<DataKeyEntity, 'wrapped_key'>, [string]>(
  'data_key_find',
  `SELECT wrapped_key FROM core.data_keys WHERE org_id = $1`,
);
const insert = statement<never, [string, Buffer]>(
  'data_key_insert',
  `INSERT INTO core.data_keys (org_id, wrapped_key) VALUES ($1, $2) ON CONFLICT (org_id) DO NOTHING`,
);
const all = statement<Pick<DataKeyEntity, 'org_id' | 'wrapped_key'>, []>(
  'data_keys_all',
  `SELECT org_id, wrapped_key FROM core.data_keys`,
);
const rewrap = statement<Pick<DataKeyEntity, 'org_id'>, [string, Buffer, Buffer]>(
  'data_key_rewrap',
  `UPDATE core.data_keys SET wrapped_key = $3 WHERE org_id = $1 AND wrapped_key = $2 RETURNING org_id`,
);

const REWRAP_PAUSE_MS = 60_000;

/**
 * The data key of each organization, created on first use and cached unwrapped in memory. During a rotation there are
 * two master keys: data keys that only the second unwraps are rewrapped under the first.
 */
export class DataKeys {
  /** The warm-up encrypts as a submission does, under a key that is not stored. */
  private readonly keyByOrg = new Map<string, Buffer>([[WARM_UP_ORG_ID, newDataKey()]]);
  private readonly rewrapping = new PeriodicWork('rewrap data keys', REWRAP_PAUSE_MS, () => this.rewrapAll());

  constructor(
    private readonly database: Database,
    /** The first wraps, all unwrap. */
    private readonly masterKeys: readonly Buffer[],
  ) {}

  start(): void {
    if (this.masterKeys.length > 1) this.rewrapping.start();
  }

  async stop(): Promise<void> {
    await this.rewrapping.stop();
  }

  async keyOf(orgId: string): Promise<Buffer> {
    const known = this.keyByOrg.get(orgId);
    if (known) return known;
    const key = (await this.load(this.database, orgId)) ?? (await this.make(orgId));
    this.keyByOrg.set(orgId, key);
    return key;
  }

  /** Returns the number of keys that were rewrapped under the first master key. */
  async rewrapAll(): Promise<number> {
    let count = 0;
    for (const { org_id, wrapped_key } of await this.database.rows(all)) {
      if (opened(this.masterKeys.slice(0, 1), wrapped_key, org_id)) continue;
      const again = encrypt(this.master, this.unwrap(wrapped_key, org_id), org_id);
      count += (await this.database.rows(rewrap, org_id, wrapped_key, again)).length;
    }
    if (count > 0) log.info({ data_keys: count }, 'data keys rewrapped under the first master key');
    return count;
  }

  /** When two processes race, the first insert wins and both read it. */
  private async make(orgId: string): Promise<Buffer> {
    await this.database.rows(insert, orgId, encrypt(this.master, newDataKey(), orgId));
    const key = await this.load(this.database, orgId);
    if (!key) throw new Error(`no data key for organization ${orgId}`);
    return key;
  }

  private async load(sql: Sql, orgId: string): Promise<Buffer | null> {
    const [row] = await sql.rows(find, orgId);
    return row ? this.unwrap(row.wrapped_key, orgId) : null;
  }

  private get master(): Buffer {
    const [first] = this.masterKeys;
    if (!first) throw new Error('no master key is configured');
    return first;
  }

  private unwrap(wrapped: Buffer, orgId: string): Buffer {
    const key = opened(this.masterKeys, wrapped, orgId);
    if (!key) throw new Error(`the data key of ${orgId} was wrapped under another master key`);
    return key;
  }
}

/** Returns null when none of the master keys wrapped it. */
function opened(masterKeys: readonly Buffer[], wrapped: Buffer, orgId: string): Buffer | null {
  for (const masterKey of masterKeys) {
    try {
      return decrypt(masterKey, wrapped, orgId);
    } catch {
      // Wrapped under another key.
    }
  }
  return null;
}
