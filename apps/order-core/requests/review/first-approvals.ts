import type { BusConnection } from '@offizin/bus/key-value';
import { CHANGED_SUBJECT, type ChangeKind, type UnpublishedChange } from '@offizin/contracts/console/live';
import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { type Answer, type KeyRun, okJson } from '@offizin/contracts/calls/operation';
import type { FirstApproveResponse } from '@offizin/contracts/requests/first-approval';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import type { Database } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import type { DataKeys } from '../../crypto/data-keys.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { assertNotOvertaken, personIn } from '../../callers/overtaken.store';
import type { ApprovedOrder } from '../intake/approved-order';
import { marksOf } from './marks.store';
import type { ProductChecks } from '../intake/product-checks';
import { type JudgedLine, needsTwoPeople } from './four-eyes';
import { type ApprovableRow, type FirstContent, saveFirstApproval } from './four-eyes.store';
import { lockRequest, type OrderRequestRow } from '../intake/order-requests.store';

/** Publishes changes that write no event to the gateways. As for every ring, a message may be lost (decision 0040). */
export class LiveChanges {
  constructor(private readonly connection: Pick<BusConnection, 'publish' | 'isClosed'>) {}

  ring(orgId: string, id: string, kind: ChangeKind = 'order_request'): void {
    if (this.connection.isClosed()) return;
    const change: UnpublishedChange = { orgId, kind, id };
    this.connection.publish(CHANGED_SUBJECT, Buffer.from(JSON.stringify(change)));
  }
}

interface ToStore extends Omit<FirstContent, 'marks'> {
  digest: Buffer;
  order: ApprovedOrder;
}

/** Approvals that wait for a second person. */
export class FirstApprovals {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly products: ProductChecks,
    private readonly changes: LiveChanges,
  ) {}

  /**
   * Whether two people approve a request with these lists of lines (needsTwoPeople). Throws `Unreachable` when only the
   * catalog could tell.
   */
  async areNeeded(
    caller: Caller,
    { four_eyes, four_eyes_categories, shop_id: shopId }: ApprovableRow,
    lists: readonly (readonly JudgedLine[])[],
  ): Promise<boolean> {
    const rule = { four_eyes: four_eyes ?? 'off', four_eyes_categories: four_eyes_categories ?? [] };
    if (rule.four_eyes !== 'controlled') return needsTwoPeople(rule, lists, []);
    const ids = lists.flat().flatMap(({ p1_id }) => p1_id ?? []);
    const products = await this.products.productsOf(caller, ids, shopId);
    if (products) return needsTwoPeople(rule, lists, products);
    const message =
      'The catalog does not answer, so nobody knows whether two people must approve this request.';
    throw new Unreachable('service_unavailable', message);
  }

  /**
   * Stores the approval as the first of two, in place of an earlier one with other content. Answers null when the
   * request has changed since it was read.
   */
  async store(
    caller: Caller,
    read: OrderRequestRow,
    { digest, order, ...given }: ToStore,
    keyRun: KeyRun | undefined,
  ): Promise<Answer<never> | null> {
    const { id: requestId, org_id: orgId, version } = read;
    const key = await this.dataKeys.keyOf(orgId);
    const answer = await liveTransaction(this.database, caller, async (tx) => {
      const now = await lockRequest(tx, orgId, requestId);
      await assertNotOvertaken(tx, [
        personIn(this.dataKeys, { orgId, credential: caller, patch: order.fields }),
      ]);
      if (now?.status !== 'pending' || now.version !== version || now.attempt !== read.attempt) return null;
      const of = { orgId, requestId, version, actor: actorOf(caller) };
      const content = { ...given, marks: await marksOf(tx, key, of) };
      const first = { staffId: caller.actorId, digest, content };
      const { at, by } = await saveFirstApproval(tx, key, { orgId, id: requestId }, first);
      const object = `order-request:${requestId}`;
      await appendAudit(tx, caller, 'order-request.first-approve', object);
      const overridden = given.override?.acknowledged.length ?? 0;
      if (overridden > 0) {
        const overrides = `${object}:overrides:${overridden}`;
        await appendAudit(tx, caller, 'order-request.override', overrides);
      }
      const first_approval = { staff_id: caller.actorId, by, at: at.toISOString() };
      const value: FirstApproveResponse = { id: requestId, status: 'pending', first_approval };
      return storeAnswer(tx, keyRun, okJson<never>(JSON.stringify(value), 202));
    });
    if (answer) this.changes.ring(orgId, requestId);
    return answer;
  }
}
