import { type Database, type Sql, statement } from '@offizin/pg/database';
import { decrypt, encrypt, newDataKey } from './encryption';

const find = statement<{ wrapped_key: Buffer }, [string]>(
  'data_key_find',
  `SELECT wrapped_key FROM core.data_keys WHERE org_id = $1`,
);
const insert = statement<never, [string, Buffer]>(
  'data_key_insert',
  `INSERT INTO core.data_keys (org_id, wrapped_key) VALUES ($1, $2) ON CONFLICT (org_id) DO NOTHING`,
);

/** The data key of each organization, unwrapped once and kept in memory; made when an organization first needs it. */
export class DataKeys {
  private readonly keyByOrg = new Map<string, Buffer>();

  constructor(
    private readonly database: Database,
    private readonly masterKey: Buffer,
  ) {}

  async keyOf(orgId: string): Promise<Buffer> {
    const known = this.keyByOrg.get(orgId);
    if (known) return known;
    const key = (await this.load(this.database, orgId)) ?? (await this.make(orgId));
    this.keyByOrg.set(orgId, key);
    return key;
  }

  /** Two racing makers: the first insert wins, both read the winner's. */
  private async make(orgId: string): Promise<Buffer> {
    await this.database.rows(insert, orgId, encrypt(this.masterKey, newDataKey(), orgId));
    const key = await this.load(this.database, orgId);
    if (!key) throw new Error(`no data key for organization ${orgId}`);
    return key;
  }

  private async load(sql: Sql, orgId: string): Promise<Buffer | null> {
    const [row] = await sql.rows(find, orgId);
    return row ? decrypt(this.masterKey, row.wrapped_key, orgId) : null;
  }
}
