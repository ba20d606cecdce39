import createClient from 'openapi-fetch';
import { given, order, orderRequest, walk } from '../walk';
import type { paths } from './generated';

const api = createClient<paths>({ baseUrl: given('OFFIZIN_URL') });
const shop = createClient<paths>({ baseUrl: given('OFFIZIN_SHOP_URL') });
const orgId = given('OFFIZIN_ORG_ID');
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

void walk({
  async token() {
    const { data, error } = await api.POST('/auth/token', { body: { api_key: given('OFFIZIN_API_KEY') } });
    if (error) throw new Error(error.message);
    return data.access_token;
  },
  async list(token) {
    const params = { path: { orgId }, query: { limit: 2 } };
    const { data, error } = await api.GET('/api/v2/public/orgs/{orgId}/orders', {
      params,
      headers: bearer(token),
    });
    if (error) throw new Error(error.message);
    // The list has a second form, CSV, under another Accept header.
    if (typeof data === 'string') throw new Error('The list is no JSON.');
    return data.data.length;
  },
  async upsert(token, externalId, key) {
    const { data, error, response } = await api.POST('/api/v2/public/orgs/{orgId}/orders', {
      params: { path: { orgId }, header: { 'Idempotency-Key': key } },
      headers: bearer(token),
      body: order(externalId),
    });
    if (error) throw new Error(error.message);
    return {
      status: response.status,
      id: data.id,
      isReplayed: response.headers.get('Idempotent-Replayed') === 'true',
    };
  },
  async refusal(token, orderId) {
    const { error, response } = await api.GET('/api/v2/public/orgs/{orgId}/orders/{orderId}', {
      params: { path: { orgId, orderId } },
      headers: bearer(token),
    });
    if (!error) throw new Error('An order that is not there was answered.');
    return { status: response.status, error: error.error };
  },
  async handIn(externalReference) {
    const { data, error } = await shop.POST('/api/v1/external-order', {
      headers: { apikey: given('OFFIZIN_INTEGRATION_KEY') },
      body: orderRequest(externalReference),
    });
    if (error) throw new Error(error.message);
    return data;
  },
});
