import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { ChangeKind, UnpublishedChange } from '@offizin/contracts/console/live';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { appendEvent, type NewEvent } from '@offizin/events/outbox';
import { BACKGROUND_TRANSACTION_MS, Database, type Sql } from '@offizin/pg/database';
import { IdempotencyKeyStore } from '@offizin/idempotency/idempotency-keys';
import { newId } from '@offizin/pg/ids';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { appendAudit, auditActorOf } from '../audit/audit.store';
import { SCHEMA } from '../db/schema';
import { DataKeys } from '../crypto/data-keys.store';
import { decrypt, encrypt } from '../crypto/encryption';
import type { OrderPatch } from '../orders/orders/order-patch';
import { findOrder, updateOrder } from '../orders/orders/orders.store';
import { changeParcels } from '../orders/parcels/parcel-change';
import { lockParcels } from '../orders/parcels/parcels.store';
import type { LiveChanges } from '../requests/review/first-approvals';
import { decryptBody, encryptContent } from '../requests/prescriptions/prescription-encryption';
import { ERASED_ORDER, erasedPayload, erasedPrescription } from './erased-content';
import * as jobs from './erasure-jobs.store';
import * as store from './erasure.store';
import * as former from './former-customers.store';

const POLL_MS = 5_000;
/** Per kind and transaction: payloads may have megabytes, and each is decrypted and encrypted again. */
const BATCH_OBJECTS = 25;
const answers = new IdempotencyKeyStore(SCHEMA);

/** Between the looks at an erasure that waits for calls under way. */
const SETTLE_PAUSE_MS = 100;

/**
 * Carries out erasures. Cast: the job row (erasure-jobs.store.ts), this loop, erased-content.ts (the content that
 * stays), and the statements (erasure.store.ts, former-customers.store.ts).
 *
 * Guarantees: Each batch is one transaction that changes objects and counts them. A crash leaves complete batches and
 * an unfinished job, which any process continues. An object is counted once. Of a change beside it, the batch sees what
 * committed before, and the later one sees that the object is erased. When a job is finished, no object matches it and
 * its row holds no e-mail. The batch that erases an object also empties stored answers about it.
 */
export class Eraser {
  readonly work = new PeriodicWork('erase customers', POLL_MS, () => this.continueJobs());

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly relay: OutboxRelay,
    private readonly changes: LiveChanges,
  ) {}

  /** Erases until the job is finished or `endsAtMs` (by performance.now()) has passed. */
  async run(jobId: string, endsAtMs: number): Promise<void> {
    while (performance.now() < endsAtMs) {
      const state = await this.batch(jobId);
      if (state === 'finished') return;
      // Another process may have it.
      if (state === null && !(await jobs.isAnyUnfinished(this.database, [jobId]))) return;
      if (state !== 'more') await delay(SETTLE_PAUSE_MS);
    }
  }

  /** One batch of each job, the oldest first, then the next of those that have more; one that fails holds up no other. */
  async continueJobs(): Promise<void> {
    const failures: unknown[] = [];
    const left = await jobs.unfinishedErasures(this.database);
    for (const id of left) {
      try {
        if ((await this.batch(id)) === 'more') left.push(id);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'erasures failed');
  }

  /** Null when the job is finished, or another process has it. */
  private async batch(jobId: string): Promise<BatchState | null> {
    const emptied: UnpublishedChange[] = [];
    const state = await this.database.transaction(async (tx) => {
      const job = await jobs.lockErasure(tx, jobId);
      if (!job) return null;
      // One batch covers all objects that belong to an id. New ones with an e-mail may be under way.
      const isLast = job.object_id !== null || (await jobs.isSettled(tx, job.id));
      const isAnyFound = await this.erase(tx, job, emptied);
      if (isAnyFound && job.object_id === null) return 'more';
      if (!isLast) return 'waiting';
      await jobs.finishErasure(tx, job.id);
      return 'finished';
    }, BACKGROUND_TRANSACTION_MS);
    this.relay.wake();
    for (const { orgId, id, kind } of emptied) this.changes.ring(orgId, id, kind);
    return state;
  }

  /** Returns whether anything was found; adds to `emptied` what no other event names. */
  private async erase(tx: Sql, job: jobs.ErasureJob, emptied: UnpublishedChange[]): Promise<boolean> {
    const { org_id: orgId, email_hash: hash } = job;
    const key = await this.dataKeys.keyOf(orgId);
    const found = await store.lockFound(tx, orgId, () => objectsOf(tx, job, key));
    const objects = found ?? store.NO_OBJECTS;
    const { requestIds, formerRequestIds, approvalIds } = objects;
    const caller = callerOf(job);
    for (const id of requestIds) await eraseRequest(tx, caller, id, key);
    const versionsOf = hash ? await former.eraseVersions(tx, orgId, formerRequestIds, hash) : [];
    const approvalsOf = await store.eraseApprovals(tx, orgId, approvalIds);
    const formerIds = [...new Set([...versionsOf.map(({ id }) => id), ...approvalsOf])];
    for (const id of formerIds) await auditRequest(tx, caller, id);
    const { orderIds, strippedOrderIds } = await eraseOrders(tx, caller, objects, versionsOf);
    // After the locks: a call that changed one of the objects has already stored its answer.
    await answers.eraseAnswers(tx, orgId, Object.values(objects).flat());
    const { prescriptionIds, formerPrescriptionIds } = await lockPrescriptions(tx, job);
    for (const id of prescriptionIds) await erasePrescription(tx, caller, id, key);
    const receiptsOf = hash ? await former.eraseReceipts(tx, orgId, formerPrescriptionIds, hash) : [];
    for (const id of receiptsOf) await appendAudit(tx, caller, 'prescription.erase', `prescription:${id}`);
    const counts = {
      orders: orderIds.length + strippedOrderIds.length,
      orderRequests: requestIds.length + formerIds.length,
      prescriptions: prescriptionIds.length + receiptsOf.length,
    };
    const ids = { order_ids: orderIds, order_request_ids: requestIds, prescription_ids: prescriptionIds };
    const isAnyEmpty = Object.values(ids).flat().length > 0;
    const sequence = await jobs.countErased(tx, job.id, counts, isAnyEmpty ? 1 : 0);
    if (isAnyEmpty) await appendEvent(tx, SCHEMA, erasedEvent(job, sequence, ids));
    const ofKind = (kind: ChangeKind, changed: string[]) => changed.map((id) => ({ orgId, kind, id }));
    emptied.push(
      ...ofKind('order_request', [...requestIds, ...formerIds]),
      ...ofKind('order', [...objects.formerOrderIds, ...objects.inheritingOrderIds]),
      ...ofKind('prescription', [...prescriptionIds, ...receiptsOf]),
    );
    return found !== null || prescriptionIds.length + receiptsOf.length > 0;
  }
}

/** `waiting`: nothing is left, and calls under way may still store something. */
type BatchState = 'more' | 'waiting' | 'finished';

/** A batch has one event; the erasure is the object whose events keep their order. */
function erasedEvent(
  { id, org_id: orgId, actor_kind: kind }: jobs.ErasureJob,
  sequence: number,
  emptied: Record<'order_ids' | 'order_request_ids' | 'prescription_ids', string[]>,
): NewEvent {
  return {
    orgId,
    eventType: 'customer_erased',
    aggregateId: id,
    sequence,
    topic: 'plain',
    title: 'Customer erased',
    description: 'The personal data of a customer were erased.',
    // Only what is in a test shop is erased without a caller (test-shop-erasure.store.ts).
    metadata: { erasure_id: id, ...emptied, ...testMark(kind === 'service') },
  };
}

async function objectsOf(tx: Sql, job: jobs.ErasureJob, key: Buffer): Promise<store.CustomerObjects> {
  const {
    org_id: orgId,
    email_hash: hash,
    email_ciphertext: encrypted,
    object_kind: kind,
    object_id: id,
  } = job;
  if (hash) {
    const email = encrypted && decrypt(key, encrypted, job.id).toString();
    return store.objectsOfCustomer(tx, orgId, { email, hash }, BATCH_OBJECTS);
  }
  const found = kind && id ? await store.objectsOfId(tx, orgId, { kind, id }) : null;
  return found ?? store.NO_OBJECTS;
}

/** Of the former ones, which belong to another customer, only receipts are erased. */
async function lockPrescriptions(
  tx: Sql,
  job: jobs.ErasureJob,
): Promise<{ prescriptionIds: string[]; formerPrescriptionIds: string[] }> {
  const { org_id: orgId, email_hash: hash, object_kind: kind, object_id: id } = job;
  if (hash) {
    const found = await store.lockPrescriptionsOfCustomer(tx, orgId, hash, BATCH_OBJECTS);
    const idsOf = (isCurrent: boolean): string[] =>
      found.filter(({ is_current }) => is_current === isCurrent).map((one) => one.id);
    return { prescriptionIds: idsOf(true), formerPrescriptionIds: idsOf(false) };
  }
  const locked = kind === 'prescription' && id ? await store.lockPrescription(tx, orgId, id) : null;
  return { prescriptionIds: locked === null ? [] : [locked], formerPrescriptionIds: [] };
}

/** The original caller, even when another process continues the job. */
function callerOf(job: jobs.ErasureJob): Caller {
  const { org_id: orgId, actor_kind: kind, actor_id: actorId, request_id: requestId } = job;
  return { kind, orgId, shopId: null, actorId, scopes: [], requestId };
}

async function eraseRequest(tx: Sql, caller: Caller, id: string, key: Buffer): Promise<void> {
  const { orgId } = caller;
  const request = await store.erasableRequest(tx, orgId, id);
  if (!request) return;
  const { payload_ciphertext: encrypted } = request;
  const payload = JSON.parse(decrypt(key, encrypted, id).toString()) as Record<string, unknown>;
  const kept = Buffer.from(JSON.stringify(erasedPayload(payload)));
  // The lines stay, as in the payload.
  await store.eraseRequest(tx, orgId, id, encrypt(key, kept, id));
  await auditRequest(tx, caller, id);
}

async function auditRequest(tx: Sql, caller: Caller, id: string): Promise<void> {
  await appendAudit(tx, caller, 'order-request.erase', `order-request:${id}`);
}

interface ErasedOrders {
  /** Not erased before. */
  orderIds: string[];
  /** Orders of another customer that lost metadata or numbers of parcels. */
  strippedOrderIds: string[];
}

/**
 * Updates orders like any other change, with history, audit entry and event; then removes personal data from history.
 */
async function eraseOrders(
  tx: Sql,
  caller: Caller,
  { orderIds, formerOrderIds }: store.CustomerObjects,
  versionsOf: readonly former.WithoutVersions[],
): Promise<ErasedOrders> {
  const newIds = await store.ordersToErase(tx, orderIds);
  await store.eraseParcels(tx, newIds);
  // PostgreSQL reads `now` as the time of the transaction.
  for (const id of newIds) await changeOrder(tx, caller, id, { ...ERASED_ORDER, erased_at: 'now' });
  const withoutMetadata = await dropMetadata(tx, caller, formerOrderIds, versionsOf);
  const withoutNumbers = await dropParcelNumbers(tx, caller, formerOrderIds);
  await store.scrubHistory(tx, { orderIds, formerOrderIds });
  return { orderIds: newIds, strippedOrderIds: [...new Set([...withoutMetadata, ...withoutNumbers])] };
}

async function changeOrder(tx: Sql, caller: Caller, id: string, patch: OrderPatch): Promise<void> {
  const by = { actor: caller.actorId, audit: auditActorOf(caller) };
  await updateOrder(tx, caller.orgId, { id, patch, eventId: newId(), ...by });
}

/** Metadata that came with a former customer goes from orders of another one. Returns the orders that had any. */
async function dropMetadata(
  tx: Sql,
  caller: Caller,
  formerOrderIds: string[],
  versionsOf: readonly former.WithoutVersions[],
): Promise<string[]> {
  const found = await former.metadataOfFormer(tx, formerOrderIds);
  const dropped = new Map(found.map(({ id, keys }) => [id, keys]));
  for (const { order_id: id, dropped: sent } of versionsOf) {
    const order = id === null ? null : await findOrder(tx, caller.orgId, id);
    // A later change of the order may have given the key another value.
    const keys = Object.keys(sent).filter((key) => order?.metadata[key] === sent[key]);
    if (!order || Object.keys(sent).length === 0) continue;
    dropped.set(order.id, [...(dropped.get(order.id) ?? []), ...keys]);
    // Without a key, too: the history of the order holds the earlier value.
    await former.scrubMetadata(tx, order.id, JSON.stringify(sent));
  }
  const changed = [...dropped].filter(([, keys]) => keys.length > 0);
  for (const [id, keys] of changed) {
    await changeOrder(tx, caller, id, { metadata: Object.fromEntries(keys.map((key) => [key, null])) });
  }
  return changed.map(([id]) => id);
}

/** Numbers of parcels that were sent to a former customer go from orders of another one. Returns these orders. */
async function dropParcelNumbers(tx: Sql, caller: Caller, formerOrderIds: string[]): Promise<string[]> {
  const found = await former.parcelsOfFormer(tx, formerOrderIds);
  for (const { id, parcel_ids: ids } of found) {
    const order = await lockParcels(tx, caller.orgId, id);
    if (!order) throw new Error('the locked order is gone');
    const parcels = order.parcels.map((parcel) =>
      ids.includes(parcel.id) ? { ...parcel, tracking_number: null, url: null } : parcel,
    );
    await changeParcels(tx, caller, order, { parcels, action: 'order.update' });
  }
  return found.map(({ id }) => id);
}

async function erasePrescription(tx: Sql, caller: Caller, id: string, key: Buffer): Promise<void> {
  const { orgId } = caller;
  const encrypted = await store.prescriptionBodyOf(tx, orgId, id);
  if (!encrypted) return;
  const data = erasedPrescription(decryptBody(key, id, encrypted));
  const externalId = data['External Id'];
  const summary = {
    external_id: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    customer_email: null,
    customer_first_name: null,
    customer_last_name: null,
  };
  await store.erasePrescription(tx, orgId, id, encryptContent(key, id, { summary, data }));
  await appendAudit(tx, caller, 'prescription.erase', `prescription:${id}`);
}
