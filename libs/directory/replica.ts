import { BucketWatch, type KeyValueChange, type BusConnection } from '@offizin/bus/key-value';
import { log } from '@offizin/runtime/log';
import { liveGauge } from '@offizin/runtime/sampled-gauges';
import { TickTime } from '@offizin/runtime/tick-batch';
import { hashApiKey } from './api-key';
import { IndexedRecords } from './indexed-records';
import {
  COMPLETE_KEY,
  decodeRecord,
  DIRECTORY_BUCKET,
  isBrokerAnswer,
  type KeyRecord,
  type OrganizationRecord,
  type SessionRecord,
  type ShopRecord,
} from './records';

/** What a snapshot has reported so far. */
interface Snapshot {
  readonly keys: Set<string>;
  hasArrived: boolean;
  isEnding: boolean;
}

/**
 * The directory in memory, read on every request. After a broken connection a new snapshot begins: its records count
 * immediately, and at its end those that it lacks are removed. Without the bus the replica serves its last state, and
 * order-core checks every key again on writes.
 */
export class DirectoryReplica {
  private readonly records = new IndexedRecords();
  /** Empty until the first snapshot is complete. */
  private served = new IndexedRecords();
  private snapshot: Snapshot | null = null;
  private unreadable = new Map<string, string>();
  private synchronized = false;
  /** By performance.now(): when the broker last confirmed that the replica is current. */
  private confirmedAtMs = performance.now();
  private readonly onSynchronized: (() => void)[] = [];
  private readonly watch: BucketWatch;

  constructor(connection: BusConnection) {
    this.watch = new BucketWatch(connection, DIRECTORY_BUCKET, {
      begin: () => {
        this.snapshot = { keys: new Set(), hasArrived: false, isEnding: false };
        this.unreadable = new Map();
      },
      change: (change) => this.take(change),
      complete: () => {
        if (this.snapshot) this.snapshot.hasArrived = true;
        this.endSnapshot();
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
      () => this.served.size,
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
    const record = this.served.get(`organization.${orgId}`);
    return record?.type === 'organization' ? record : null;
  }

  shop(orgId: string, shopId: string): ShopRecord | null {
    const record = this.served.get(`shop.${shopId}`);
    return record?.type === 'shop' && record.org_id === orgId ? record : null;
  }

  shopsOf(orgId: string): ShopRecord[] {
    return [...this.served.shopsOf(orgId)].sort((a, b) => (a.shop_id < b.shop_id ? -1 : 1));
  }

  /** The active shop of a `Host` header; port and case are ignored. */
  shopByHost(host: string): ShopRecord | null {
    const domain = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    const shop = this.served.shopByDomain(domain);
    return shop?.is_active && this.organization(shop.org_id)?.is_active ? shop : null;
  }

  /** Null when the key is unknown, revoked or expired, or its organization is inactive. */
  keyByText(key: string): KeyRecord | null {
    return this.live(this.served.keyByHash(hashApiKey(key)));
  }

  keyById(keyId: string): KeyRecord | null {
    const record = this.served.get(`key.${keyId}`);
    return this.live(record?.type === 'key' ? record : undefined);
  }

  /** By the SHA-256 of its token. Null when it is unknown or over, or the organization is inactive. */
  sessionByHash(hash: string): SessionRecord | null {
    return this.liveSession(this.served.sessionByHash(hash));
  }

  sessionById(sessionId: string): SessionRecord | null {
    const record = this.served.get(`session.${sessionId}`);
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
    const record = value && decodeRecord(key, value);
    const isUnreadable = record !== null && 'unreadable' in record;
    // Not a change by order-core, which rewrites the record: keep the old one. In a snapshot it may be obsolete.
    if (isUnreadable && !this.snapshot && value && isBrokerAnswer(value))
      return this.leaveOut(key, 'an answer of the broker');
    this.unreadable.delete(key);
    if (record && !isUnreadable) {
      this.records.set(key, record);
      this.snapshot?.keys.add(key);
    } else {
      // Fail closed: an unreadable record grants nothing, and its previous revision is obsolete.
      this.records.delete(key);
      this.snapshot?.keys.delete(key);
    }
    if (isUnreadable) this.leaveOut(key, record.unreadable);
    this.endSnapshot();
  }

  private leaveOut(key: string, reason: string): void {
    this.unreadable.set(key, reason);
    log.error({ bucket: DIRECTORY_BUCKET, key: key.slice(0, 100), reason }, 'unreadable record left out');
  }

  /** Without the `complete` record the bucket is still being filled. */
  private endSnapshot(): void {
    const { snapshot } = this;
    if (!snapshot?.hasArrived || snapshot.isEnding || !snapshot.keys.has(COMPLETE_KEY)) return;
    snapshot.isEnding = true;
    void this.removeWhatLacks(snapshot);
  }

  private async removeWhatLacks(snapshot: Snapshot): Promise<void> {
    const time = new TickTime();
    for (const key of this.records.keys()) {
      if (!snapshot.keys.has(key)) this.records.delete(key);
      if (!time.isUsedUp()) continue;
      await time.renew();
      if (this.snapshot !== snapshot) return;
    }
    this.snapshot = null;
    this.served = this.records;
    this.confirmedAtMs = performance.now();
    this.synchronized = true;
    for (const resolve of this.onSynchronized.splice(0)) resolve();
  }
}
