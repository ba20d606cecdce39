import { BucketWatch, type KeyValueChange, type BusConnection } from '@offizin/bus/key-value';
import { log } from '@offizin/runtime/log';
import { liveGauge } from '@offizin/runtime/sampled-gauges';
import { hashApiKey } from './api-key';
import {
  COMPLETE_KEY,
  decodeRecord,
  DIRECTORY_BUCKET,
  type DirectoryRecord,
  isBrokerAnswer,
  type KeyRecord,
  type OrganizationRecord,
  type SessionRecord,
  type ShopRecord,
} from './records';

/**
 * The directory in memory, read on every request. After a broken connection a new complete snapshot replaces
 * everything. Without the bus it serves its last state, and order-core checks every key again on writes.
 */
export class DirectoryReplica {
  private records = new Map<string, DirectoryRecord>();
  private snapshot: Map<string, DirectoryRecord> | null = null;
  private snapshotArrived = false;
  private indexes = emptyIndexes();
  private unreadable = new Map<string, string>();
  private synchronized = false;
  /** By performance.now(): when the broker last confirmed that the replica is current. */
  private confirmedAtMs = performance.now();
  private readonly onSynchronized: (() => void)[] = [];
  private readonly watch: BucketWatch;

  constructor(connection: BusConnection) {
    this.watch = new BucketWatch(connection, DIRECTORY_BUCKET, {
      begin: () => {
        this.snapshot = new Map();
        this.snapshotArrived = false;
        this.unreadable = new Map();
      },
      change: (change) => this.take(change),
      complete: () => {
        this.snapshotArrived = true;
        this.replaceBySnapshot();
      },
      confirm: () => {
        if (!this.snapshot) this.confirmedAtMs = performance.now();
      },
    });
  }

  start(): void {
    this.watch.start();
  }

  /**
   * Resolves when the first snapshot is complete. An open port would answer 404 or 401 until then, which callers take
   * as final.
   */
  async untilSynchronized(): Promise<void> {
    if (!this.synchronized) await new Promise<void>((resolve) => this.onSynchronized.push(resolve));
  }

  stop(): void {
    this.watch.stop();
  }

  checkSynchronized(): Promise<void> {
    return this.synchronized
      ? Promise.resolve()
      : Promise.reject(new Error('the directory is not synchronized yet'));
  }

  observe(): void {
    liveGauge(
      'offizin_directory_age_seconds',
      'Time since the broker last confirmed the directory in memory, or since the start of the process',
      () => (performance.now() - this.confirmedAtMs) / 1000,
    );
    liveGauge(
      'offizin_directory_records',
      'Organizations, shops, keys and sessions in memory',
      () => this.records.size,
    );
    liveGauge(
      'offizin_directory_unreadable_records',
      'Records of the bucket that cannot be read and are left out',
      () => this.unreadable.size,
    );
  }

  /** For /readyz: the records that were left out, or null. */
  notice(): Promise<string | null> {
    const [first] = this.unreadable;
    if (!first) return Promise.resolve(null);
    const [key, reason] = first;
    return Promise.resolve(
      `${this.unreadable.size} unreadable records, such as ${key.slice(0, 100)}: ${reason}`,
    );
  }

  organization(orgId: string): OrganizationRecord | null {
    const record = this.records.get(`organization.${orgId}`);
    return record?.type === 'organization' ? record : null;
  }

  shop(orgId: string, shopId: string): ShopRecord | null {
    const record = this.records.get(`shop.${shopId}`);
    return record?.type === 'shop' && record.org_id === orgId ? record : null;
  }

  shopsOf(orgId: string): ShopRecord[] {
    const shops = [...this.records.values()].filter(
      (record) => record.type === 'shop' && record.org_id === orgId,
    );
    return shops
      .flatMap((shop) => (shop.type === 'shop' ? [shop] : []))
      .sort((a, b) => (a.shop_id < b.shop_id ? -1 : 1));
  }

  /** The active shop of a `Host` header; port and case are ignored. */
  shopByHost(host: string): ShopRecord | null {
    const domain = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    const shop = this.indexes.shopByDomain.get(domain);
    return shop?.is_active && this.organization(shop.org_id)?.is_active ? shop : null;
  }

  /** Null when the key is unknown, revoked or expired, or its organization is inactive. */
  keyByText(key: string): KeyRecord | null {
    return this.live(this.indexes.keyByHash.get(hashApiKey(key)));
  }

  keyById(keyId: string): KeyRecord | null {
    const record = this.records.get(`key.${keyId}`);
    return this.live(record?.type === 'key' ? record : undefined);
  }

  /** By the SHA-256 of its token. Null when it is unknown or over, or the organization is inactive. */
  sessionByHash(hash: string): SessionRecord | null {
    return this.liveSession(this.indexes.sessionByHash.get(hash));
  }

  sessionById(sessionId: string): SessionRecord | null {
    const record = this.records.get(`session.${sessionId}`);
    return this.liveSession(record?.type === 'session' ? record : undefined);
  }

  private liveSession(session: SessionRecord | undefined): SessionRecord | null {
    if (!session || Date.parse(session.ends_at) <= Date.now()) return null;
    return this.organization(session.org_id)?.is_active ? session : null;
  }

  private live(key: KeyRecord | undefined): KeyRecord | null {
    if (!key || (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now())) return null;
    return this.organization(key.org_id)?.is_active ? key : null;
  }

  private take({ key, value }: KeyValueChange): void {
    const target = this.snapshot ?? this.records;
    // Not a change by order-core, which rewrites the record: keep the old one. A snapshot has no old one.
    if (value && !this.snapshot && isBrokerAnswer(value))
      return this.leaveOut(key, 'an answer of the broker');
    const record = value && decodeRecord(key, value);
    this.unreadable.delete(key);
    if (record && 'type' in record) target.set(key, record);
    // Fail closed: an unreadable record grants nothing, and its previous revision is obsolete.
    else target.delete(key);
    if (record && 'unreadable' in record) this.leaveOut(key, record.unreadable);
    if (!this.snapshot) this.reindex();
    else if (this.snapshotArrived) this.replaceBySnapshot();
  }

  private leaveOut(key: string, reason: string): void {
    this.unreadable.set(key, reason);
    log.error({ bucket: DIRECTORY_BUCKET, key: key.slice(0, 100), reason }, 'unreadable record left out');
  }

  /** Without the `complete` record the bucket is still being filled. */
  private replaceBySnapshot(): void {
    if (!this.snapshot?.has(COMPLETE_KEY)) return;
    this.records = this.snapshot;
    this.snapshot = null;
    this.reindex();
    this.confirmedAtMs = performance.now();
    this.synchronized = true;
    for (const resolve of this.onSynchronized.splice(0)) resolve();
  }

  private reindex(): void {
    const indexes = emptyIndexes();
    for (const record of this.records.values()) {
      if (record.type === 'shop') indexes.shopByDomain.set(record.domain, record);
      if (record.type === 'key') indexes.keyByHash.set(record.hash, record);
      if (record.type === 'session') indexes.sessionByHash.set(record.hash, record);
    }
    this.indexes = indexes;
  }
}

interface Indexes {
  shopByDomain: Map<string, ShopRecord>;
  keyByHash: Map<string, KeyRecord>;
  sessionByHash: Map<string, SessionRecord>;
}

function emptyIndexes(): Indexes {
  return { shopByDomain: new Map(), keyByHash: new Map(), sessionByHash: new Map() };
}
