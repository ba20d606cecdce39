import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { eraseCustomer, type EraseCustomerResponse } from '@offizin/contracts/customers';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { Database } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { kept } from '@offizin/pg/kept-answer';
import { appendAudit } from '../audit/audit.store';
import { assertKeyIsLive } from '../directory/directory.store';
import { DataKeys } from '../documents/data-keys.store';
import { encrypt } from '../documents/encryption';
import { emailHash } from '../documents/keyed-hash';
import { Eraser } from './eraser';
import { erasureProgress, insertErasure } from './erasure-jobs.store';

/** Well within what a caller of the bus waits; what is left is erased in the background. */
const ERASE_MS = 3_000;

/** Erasure of a customer's personal data: the job is stored first, then carried out at once as far as time allows. */
@Controller()
export class CustomersHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly eraser: Eraser,
  ) {}

  @Handles(eraseCustomer)
  async erase({ caller, body, keyRun }: Call<typeof eraseCustomer>): Promise<Answer<EraseCustomerResponse>> {
    const endsAtMs = Date.now() + ERASE_MS;
    const { orgId } = caller;
    const key = await this.dataKeys.keyOf(orgId);
    const id = newId();
    const hash = emailHash(key, body.email);
    const job = {
      ...{ id, org_id: orgId, email_hash: hash },
      email_ciphertext: encrypt(key, Buffer.from(body.email), id),
      actor_kind: caller.kind,
      actor_id: caller.actorId,
      request_id: caller.requestId,
    };
    await this.database.transaction(async (tx) => {
      await assertKeyIsLive(tx, caller);
      await insertErasure(tx, job);
      const object = `customer:${hash.toString('hex')}`;
      await appendAudit(tx, caller, { orgId, action: 'customer.erase', object });
      // As far as it has come by now; what the caller is answered below takes its place.
      await kept(tx, keyRun, ok({ id, status: 'running', orders: 0, order_requests: 0, prescriptions: 0 }));
    });
    await this.eraser.run(id, endsAtMs);
    const progress = await erasureProgress(this.database, orgId, id);
    if (!progress) throw new Error(`erasure ${id} was stored and then not found`);
    return ok(progress);
  }
}
