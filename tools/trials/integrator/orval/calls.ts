import { given, order, orderRequest, walk } from '../walk';
import {
  orderRequestsSubmitExternal,
  ordersGet,
  ordersList,
  ordersUpsert,
  tokensExchange,
} from './generated/client';

const orgId = given('OFFIZIN_ORG_ID');
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

void walk({
  async token() {
    // The exchange takes a form, too, so orval leaves the choice to the caller.
    const headers = { 'content-type': 'application/json' };
    const answer = await tokensExchange({ api_key: given('OFFIZIN_API_KEY') }, undefined, { headers });
    if (answer.status !== 200) throw new Error(answer.data.message);
    return answer.data.access_token;
  },
  async list(token) {
    const answer = await ordersList(orgId, { limit: 2 }, undefined, bearer(token));
    if (answer.status !== 200) throw new Error(answer.data.message);
    // The list has a second form, CSV, under another Accept header.
    if (typeof answer.data === 'string') throw new Error('The list is not JSON.');
    return answer.data.data.length;
  },
  async upsert(token, externalId, key) {
    const answer = await ordersUpsert(orgId, order(externalId), { 'Idempotency-Key': key }, bearer(token));
    if (answer.status !== 200 && answer.status !== 201) throw new Error(answer.data.message);
    return {
      status: answer.status,
      id: answer.data.id,
      isReplayed: answer.headers.get('Idempotent-Replayed') === 'true',
    };
  },
  async refusal(token, orderId) {
    const answer = await ordersGet(orgId, orderId, undefined, bearer(token));
    if (answer.status !== 404) throw new Error('An order that is not there was answered.');
    return { status: answer.status, error: answer.data.error };
  },
  async handIn(externalReference) {
    const answer = await orderRequestsSubmitExternal(orderRequest(externalReference), undefined, {
      headers: { apikey: given('OFFIZIN_INTEGRATION_KEY') },
    });
    if (answer.status !== 200) throw new Error(answer.data.message);
    return answer.data;
  },
});
