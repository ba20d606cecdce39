import type { ObservedDeliveryBody } from '@offizin/contracts/requests/certification';
import type { Egress } from '@offizin/egress/send';
import { newId } from '@offizin/pg/ids';
import { errorFields, log } from '@offizin/runtime/log';
import { attemptDelivery, type Attempted, type AttemptOptions } from './attempt';
import type { FilledDelivery } from './callback-bodies';
import { newSecret } from './signature';
import type { Target } from './targets.store';

interface CallbackTrialsOptions {
  egress: Egress;
  /** Reports to order-core. */
  observe: (observed: ObservedDeliveryBody) => Promise<unknown>;
}

/**
 * The certification of callbacks, at test shops only: order-core gets to know that the partner took an event, and then how it
 * answers the same event under a wrong signature. The forgery has another id, so that a receiver cannot take it for a
 * repeat. It is sent once, and it is not a delivery: it has no row and counts in no figure of the endpoint's health. Each
 * event that the partner takes is followed by one until it has refused one.
 */
export class CallbackTrials {
  constructor(private readonly options: CallbackTrialsOptions) {}

  /** Never rejects: a step that was not reported is tried with the next event. */
  async follow(
    delivery: FilledDelivery,
    target: Target,
    { decision, result }: Attempted,
    options: AttemptOptions,
  ): Promise<void> {
    const { awaited = [] } = delivery;
    if (decision !== 'succeeded') return;
    if (awaited.includes('took_callback')) await this.report(delivery, false, result.statusCode);
    if (!awaited.includes('refused_forgery')) return;
    const forgery = { ...delivery, id: newId(), previous_secret_signs: false, traceparent: null };
    const wrong = { ...target, secret: newSecret() };
    const { result: answered } = await attemptDelivery(this.options.egress, forgery, wrong, options);
    await this.report(forgery, true, answered.statusCode);
  }

  private async report(
    { id, org_id, integration_id, shop_id, subscription_id }: FilledDelivery,
    is_forged: boolean,
    status: number | null,
  ): Promise<void> {
    if (integration_id === null || shop_id === null) return;
    const line = { delivery_id: id, subscription_id, status };
    if (is_forged) log.info(line, 'forgery sent to a test shop');
    const owner = { org_id, integration_id, shop_id };
    await this.options
      .observe({ ...owner, delivery_id: id, is_forged, status })
      .catch((error: unknown) => log.warn({ ...line, ...errorFields(error) }, 'delivery not certified'));
  }
}
