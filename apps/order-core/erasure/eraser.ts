import type { Caller } from '@offizin/contracts/calls/caller';
import { BACKGROUND_TRANSACTION_MS, Database, type Sql } from '@offizin/pg/database';
import { IdempotencyKeyStore } from '@offizin/idempotency/idempotency-keys';
import { newId } from '@offizin/pg/ids';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { appendAudit, auditActorOf } from '../audit/audit.store';
import { SCHEMA } from '../db/schema';
import { DataKeys } from '../crypto/data-keys.store';
import { decrypt, encrypt } from '../crypto/encryption';
import { updateOrder } from '../orders/orders/orders.store';
import { decryptBody, encryptContent } from '../requests/prescriptions/prescription-encryption';
import { ERASED_ORDER, erasedPayload, erasedPrescription } from './erased-content';
import * as jobs from './erasure-jobs.store';
import * as store from './erasure.store';

const POLL_MS = 5_000;
/** Per kind and transaction: payloads may have megabytes, and each is decrypted and encrypted again. */
const BATCH_OBJECTS = 25;
const answers = new IdempotencyKeyStore(SCHEMA);

/**
 * Carries out erasures. Cast: the job row (erasure-jobs.store.ts), this loop, erased-content.ts (the content that
 * stays), and the statements (erasure.store.ts).
 *
 * Guarantees: Each batch is one transaction that changes objects and counts them. A crash leaves complete batches and
 * an unfinished job, which any process continues. An object is counted once. When a job is finished, no object matches
 * it and its row holds no e-mail. The batch that erases an object also empties stored answers about it.
 */
export class Eraser {
  readonly work = new PeriodicWork('erase customers', POLL_MS, () => this.continueJobs());

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly relay: OutboxRelay,
  ) {}

  /** Erases until the job is finished or `endsAtMs` (by performance.now()) has passed. */
  async run(jobId: string, endsAtMs: number): Promise<void> {
    while (performance.now() < endsAtMs && (await this.batch(jobId)));
  }

  async continueJobs(): Promise<void> {
    while (await this.batch(null));
  }

  /** Returns true when more objects may remain. */
  private async batch(jobId: string | null): Promise<boolean> {
    const claimed = await this.database.transaction(async (tx) => {
      const job = await jobs.claimErasure(tx, jobId);
      if (!job) return false;
      const counts = await this.erase(tx, job);
      await jobs.countErased(tx, job.id, counts);
      // One batch covers all objects that belong to an id.
      const isFinished =
        job.object_id !== null || counts.orders + counts.orderRequests + counts.prescriptions === 0;
      if (isFinished) await jobs.finishErasure(tx, job.id);
      return jobId === null || !isFinished;
    }, BACKGROUND_TRANSACTION_MS);
    this.relay.wake();
    return claimed;
  }

  private async erase(tx: Sql, job: jobs.ErasureJob): Promise<jobs.ErasureCounts> {
    const { org_id: orgId, email_hash: hash } = job;
    const key = await this.dataKeys.keyOf(orgId);
    const objects = await objectsOf(tx, job, key);
    const requestIds = await store.lockObjects(tx, orgId, objects);
    const caller = callerOf(job);
    for (const id of requestIds) await eraseRequest(tx, caller, id, key);
    const formerIds = hash ? await store.eraseVersions(tx, orgId, objects.formerRequestIds, hash) : [];
    for (const id of formerIds) await appendAudit(tx, caller, 'order-request.erase', `order-request:${id}`);
    const orders = await eraseOrders(tx, caller, objects);
    // After the locks: a call that changed one of the objects has already stored its answer.
    await answers.eraseAnswers(tx, orgId, Object.values(objects).flat());
    const prescriptionIds = await lockPrescriptions(tx, job);
    for (const id of prescriptionIds) await erasePrescription(tx, caller, id, key);
    return {
      orders,
      orderRequests: requestIds.length + formerIds.length,
      prescriptions: prescriptionIds.length,
    };
  }
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
  return found ?? { requestIds: [], formerRequestIds: [], orderIds: [], formerOrderIds: [] };
}

async function lockPrescriptions(tx: Sql, job: jobs.ErasureJob): Promise<string[]> {
  const { org_id: orgId, email_hash: hash, object_kind: kind, object_id: id } = job;
  if (hash) return store.lockPrescriptionsOfCustomer(tx, orgId, hash, BATCH_OBJECTS);
  const locked = kind === 'prescription' && id ? await store.lockPrescription(tx, orgId, id) : null;
  return locked === null ? [] : [locked];
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

/**
 * Updates orders like any other change, with history, audit entry and event; then removes personal data from history.
 */
async function eraseOrders(
  tx: Sql,
  caller: Caller,
  { orderIds, formerOrderIds }: store.CustomerObjects,
): Promise<number> {
  let erased = formerOrderIds.length;
  for (const id of orderIds) {
    const by = { actor: caller.actorId, audit: auditActorOf(caller) };
    const change = { id, patch: ERASED_ORDER, eventId: newId(), ...by };
    if (await updateOrder(tx, caller.orgId, change)) erased++;
  }
  await store.scrubHistory(tx, [...orderIds, ...formerOrderIds]);
  return erased;
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
