import { given, order, orderRequest, walk } from '../walk';
import {
  orderRequestsSubmitExternal,
  ordersGet,
  ordersList,
  ordersUpsert,
  tokensExchange,
} from './generated';
import { createClient } from './generated/client';

const client = createClient({ baseUrl: given('OFFIZIN_URL') });
const shop = createClient({ baseUrl: given('OFFIZIN_SHOP_URL') });
const orgId = given('OFFIZIN_ORG_ID');

void walk({
  async token() {
    const { data, error } = await tokensExchange({ client, body: { api_key: given('OFFIZIN_API_KEY') } });
    if (!data) throw new Error(error.message);
    return data.access_token;
  },
  async list(token) {
    const { data, error } = await ordersList({ client, auth: token, path: { orgId }, query: { limit: 2 } });
    if (!data) throw new Error(error.message);
    return data.data.length;
  },
  async upsert(token, externalId, key) {
    const { data, error, response } = await ordersUpsert({
      client,
      auth: token,
      path: { orgId },
      headers: { 'Idempotency-Key': key },
      body: order(externalId),
    });
    if (!data) throw new Error(error.message);
    return {
      status: response?.status,
      id: data.id,
      isReplayed: response?.headers.get('Idempotent-Replayed') === 'true',
    };
  },
  async refusal(token, orderId) {
    const { error, response } = await ordersGet({ client, auth: token, path: { orgId, orderId } });
    if (!error) throw new Error('An order that is not there was answered.');
    return { status: response?.status, error: error.error };
  },
  async handIn(externalReference) {
    const { data, error } = await orderRequestsSubmitExternal({
      client: shop,
      auth: given('OFFIZIN_INTEGRATION_KEY'),
      body: orderRequest(externalReference),
    });
    if (!data) throw new Error(error.message);
    return data;
  },
});
