import type { DirectoryRecord, KeyRecord, SessionRecord, ShopRecord } from './records';

/**
 * Records by bucket key, with the indexes that requests need. A change touches the entries of one record only, so its
 * cost does not grow with the directory.
 */
export class IndexedRecords {
  private readonly records = new Map<string, DirectoryRecord>();
  private readonly keysByHash = new Map<string, KeyRecord>();
  private readonly sessionsByHash = new Map<string, SessionRecord>();
  /** While a domain moves, two shops may have it: the record that came last counts. */
  private readonly shopsByDomain = new Map<string, ShopRecord[]>();
  private readonly shopsByOrganization = new Map<string, ShopRecord[]>();

  get size(): number {
    return this.records.size;
  }

  keys(): Iterable<string> {
    return this.records.keys();
  }

  get(bucketKey: string): DirectoryRecord | undefined {
    return this.records.get(bucketKey);
  }

  keyByHash(hash: string): KeyRecord | undefined {
    return this.keysByHash.get(hash);
  }

  sessionByHash(hash: string): SessionRecord | undefined {
    return this.sessionsByHash.get(hash);
  }

  shopByDomain(domain: string): ShopRecord | undefined {
    return this.shopsByDomain.get(domain)?.at(-1);
  }

  shopsOf(orgId: string): readonly ShopRecord[] {
    return this.shopsByOrganization.get(orgId) ?? [];
  }

  set(bucketKey: string, record: DirectoryRecord): void {
    this.removeFromIndexes(this.records.get(bucketKey));
    this.records.set(bucketKey, record);
    if (record.type === 'key') this.keysByHash.set(record.hash, record);
    if (record.type === 'session') this.sessionsByHash.set(record.hash, record);
    if (record.type === 'shop') {
      add(this.shopsByDomain, record.domain, record);
      add(this.shopsByOrganization, record.org_id, record);
    }
  }

  delete(bucketKey: string): void {
    this.removeFromIndexes(this.records.get(bucketKey));
    this.records.delete(bucketKey);
  }

  private removeFromIndexes(record: DirectoryRecord | undefined): void {
    if (record?.type === 'key') this.keysByHash.delete(record.hash);
    if (record?.type === 'session') this.sessionsByHash.delete(record.hash);
    if (record?.type === 'shop') {
      remove(this.shopsByDomain, record.domain, record);
      remove(this.shopsByOrganization, record.org_id, record);
    }
  }
}

function add(lists: Map<string, ShopRecord[]>, name: string, shop: ShopRecord): void {
  const list = lists.get(name);
  if (list) list.push(shop);
  else lists.set(name, [shop]);
}

function remove(lists: Map<string, ShopRecord[]>, name: string, shop: ShopRecord): void {
  const left = (lists.get(name) ?? []).filter((other) => other !== shop);
  if (left.length > 0) lists.set(name, left);
  else lists.delete(name);
}
