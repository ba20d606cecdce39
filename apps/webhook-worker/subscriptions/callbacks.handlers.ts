import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type Callback,
  type CallbackOwner,
  type CallbackWithSecret,
  findCallback,
  NO_CALLBACK,
  removeCallback,
  type RemoveCallbackResponse,
  storeCallback,
} from '@offizin/contracts/requests/callbacks';
import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { Database, type Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { WebhookWorkerConfig } from '../config';
import { SCHEMA } from '../db/schema';
import { callbackObject, cancelPending } from '../deliveries/switch-off.store';
import { SecretEncryption } from '../deliveries/secret-encryption';
import { newSecret } from '../deliveries/signature';
import {
  deleteCallbackOf,
  findCallbackOf,
  insertCallback,
  lockCallback,
  replaceCallback,
} from './callbacks.store';
import { checkedUrl, ROTATION_OVERLAP_HOURS, shownState } from './settings';
import type { SubscriptionRecord } from './subscriptions.store';

/** Callbacks of partners; order-core asks in their name (libs/contracts/requests/callbacks.ts). */
@Controller()
export class CallbacksHandlers {
  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly secrets: SecretEncryption,
    private readonly config: WebhookWorkerConfig,
  ) {}

  /**
   * Every call makes a new secret and answers it: so a partner that lost an answer calls again, and a secret is rotated
   * in the same way.
   */
  @Handles(storeCallback)
  async store({ caller, body }: Call<typeof storeCallback>): Promise<Answer<CallbackWithSecret>> {
    const url = checkedUrl(body.url, this.config);
    const secret = newSecret();
    const stored = await this.database.transaction(async (tx) => {
      const present = await lockCallback(tx, body);
      const id = present?.id ?? newId();
      const encrypted = this.secrets.encrypt(id, secret);
      const saved = present
        ? await replaceCallback(tx, body, { url, secret: encrypted, overlapHours: ROTATION_OVERLAP_HOURS })
        : await insertCallback(tx, body, { id, url, secret: encrypted });
      await audit(tx, caller, { ...body, action: 'callback.set' });
      return saved;
    });
    this.relay.wake();
    return ok({ ...shown(existing(stored)), secret });
  }

  @Handles(findCallback)
  async find({ body }: Call<typeof findCallback>): Promise<Answer<Callback>> {
    return ok(shown(existing(await findCallbackOf(this.database, body))));
  }

  @Handles(removeCallback)
  async remove({ caller, body }: Call<typeof removeCallback>): Promise<Answer<RemoveCallbackResponse>> {
    const id = await this.database.transaction(async (tx) => {
      const deleted = await deleteCallbackOf(tx, body);
      if (deleted !== null) await audit(tx, caller, { ...body, action: 'callback.delete' });
      return deleted;
    });
    this.relay.wake();
    if (id !== null) await cancelPending(this.database, id);
    return ok({ removed: id !== null });
  }
}

/** In the name of the partner's key. */
async function audit(
  tx: Sql,
  { requestId }: Caller,
  { action, key_id: actorId, ...owner }: CallbackOwner & { action: string; key_id: string },
): Promise<void> {
  const { org_id: orgId, shop_id: shopId } = owner;
  const by: Caller = { kind: 'integration', orgId, shopId, actorId, scopes: [], requestId };
  await appendAuditRecord(tx, SCHEMA, by, { orgId, action, object: callbackObject(owner) });
}

function existing(callback: SubscriptionRecord | null): SubscriptionRecord {
  if (!callback) throw new Refused('not_found', NO_CALLBACK);
  return callback;
}

function shown(record: SubscriptionRecord): Callback {
  const { url, is_active } = record;
  return { url, is_active, ...shownState(record) };
}
