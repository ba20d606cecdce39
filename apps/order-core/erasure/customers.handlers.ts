import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { eraseCustomer, type EraseCustomerResponse } from '@offizin/contracts/people/customers';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { Database } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { appendAudit } from '../audit/audit.store';
import { assertCallerIsLive, assertConfirmed } from '../callers/live-caller.store';
import { DataKeys } from '../crypto/data-keys.store';
import { emailHash, encrypt } from '../crypto/encryption';
import { Eraser } from './eraser';
import { type ErasureJob, erasureProgress, insertErasure } from './erasure-jobs.store';
import { auditObjectOf, type ErasureSubject, subjectOf } from './erasure-subject';
import { objectsOfId } from './erasure.store';

/** Well below a bus caller's deadline; the background work erases the rest. */
const ERASE_MS = 3_000;

const NOUNS = { order: 'order', 'order-request': 'order request', prescription: 'prescription' };

/** Erasure of a customer's personal data: stores the job, then runs it until ERASE_MS have passed. */
@Controller()
export class CustomersHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly eraser: Eraser,
  ) {}

  @Handles(eraseCustomer)
  async erase({ caller, body, keyRun }: Call<typeof eraseCustomer>): Promise<Answer<EraseCustomerResponse>> {
    const endsAtMs = performance.now() + ERASE_MS;
    const { orgId } = caller;
    const subject = subjectOf(body);
    const job = jobFor(caller, subject, await this.dataKeys.keyOf(orgId));
    const { id } = job;
    await this.database.transaction(async (tx) => {
      await assertCallerIsLive(tx, caller);
      await assertConfirmed(tx, caller);
      if (subject.kind !== 'email' && !(await objectsOfId(tx, orgId, subject)))
        throw notFound(NOUNS[subject.kind]);
      await insertErasure(tx, job);
      await appendAudit(tx, caller, 'customer.erase', auditObjectOf(job));
      // An early answer, in case the process dies; the final answer below replaces it.
      await storeAnswer(
        tx,
        keyRun,
        ok({ id, status: 'running', orders: 0, order_requests: 0, prescriptions: 0 }),
      );
    });
    await this.eraser.run(id, endsAtMs);
    const progress = await erasureProgress(this.database, orgId, id);
    if (!progress) throw new Error(`erasure ${id} was stored and then not found`);
    return ok(progress);
  }
}

function jobFor(caller: Caller, subject: ErasureSubject, key: Buffer): ErasureJob {
  const id = newId();
  const { orgId: org_id, kind: actor_kind, actorId: actor_id, requestId: request_id } = caller;
  const asked = { id, org_id, actor_kind, actor_id, request_id };
  if (subject.kind !== 'email') {
    const object = { object_kind: subject.kind, object_id: subject.id.toLowerCase() };
    return { ...asked, ...object, email_hash: null, email_ciphertext: null };
  }
  const { email } = subject;
  const email_ciphertext = encrypt(key, Buffer.from(email), id);
  return {
    ...asked,
    email_hash: emailHash(key, email),
    email_ciphertext,
    object_kind: null,
    object_id: null,
  };
}
