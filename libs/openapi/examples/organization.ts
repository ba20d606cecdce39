import { AuditLogResponse, AuditVerifyResponse } from '@offizin/contracts/reports/audit';
import {
  ApiKeyListResponse,
  type ApiKeyRow,
  CreateApiKeyBody,
  CreatedApiKey,
  RotateApiKeyBody,
} from '@offizin/contracts/people/directory';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import {
  ShopSettings,
  ShopSettingsBody,
  StockSettings,
  TestShopBody,
  WorkflowBody,
  WorkflowResponse,
} from '@offizin/contracts/orders/settings';
import { ClientCredentialsForm, TokenRequest, TokenResponse } from '@offizin/contracts/people/tokens';
import {
  CHANGED_AT,
  CREATED_AT,
  example,
  FIRST_OF_MANY,
  KEY_ID,
  LAST_PAGE,
  ORG_ID,
  REQUEST_ID,
  SHOP_ID,
} from './example';

/** Of the form of a key; its checksum is wrong, so that it cannot be one. */
const API_KEY = 'ofz_org_0123456789abcdefABCDEF01_000000';
const SCOPE = 'orders.read orders.write';
const KEY: ApiKeyRow = {
  id: KEY_ID,
  name: 'ERP',
  kind: 'org',
  scopes: ['orders.read', 'orders.write'],
  shop_id: null,
  reads_assortment: false,
  created_at: CREATED_AT,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  replaced_by: null,
};
const TRANSITIONS: Record<OrderStatus, OrderStatus[]> = {
  pending: ['awaiting_packing', 'cancelled'],
  awaiting_payment: ['awaiting_packing'],
  awaiting_packing: ['ready_pickup', 'shipped'],
  ready_pickup: ['picked_up'],
  shipped: ['completed'],
  picked_up: ['completed'],
  completed: [],
  cancelled: [],
};

export const ORGANIZATION_EXAMPLES = [
  example(TokenRequest, { api_key: API_KEY, scope: SCOPE }),
  example(ClientCredentialsForm, {
    grant_type: 'client_credentials',
    client_id: KEY_ID,
    client_secret: API_KEY,
    scope: SCOPE,
  }),
  example(TokenResponse, {
    access_token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: SCOPE,
    org_id: ORG_ID,
  }),
  example(ApiKeyListResponse, { data: [KEY], pagination: LAST_PAGE }),
  example(CreateApiKeyBody, { name: 'ERP', kind: 'org', scopes: ['orders.read', 'orders.write'] }),
  example(CreatedApiKey, { ...KEY, api_key: API_KEY }),
  example(RotateApiKeyBody, { overlap_seconds: 3_600 }),
  example(WorkflowBody, { mode: 'custom', transitions: TRANSITIONS, closed_orders: 'refuse' }),
  example(WorkflowResponse, {
    mode: 'custom',
    transitions: TRANSITIONS,
    closed_orders: 'refuse',
    version: '5f2d8c1ab0e94473',
  }),
  example(StockSettings, { stock_follows_orders: true }),
  example(ShopSettings, {
    shop_id: SHOP_ID,
    name: 'Dom-Apotheke',
    domain: 'dom.example.com',
    is_active: true,
    is_test: false,
    version: '8a77c01de4f35b20',
  }),
  example(ShopSettingsBody, { name: 'Dom-Apotheke' }),
  example(TestShopBody, { name: 'Test', domain: 'test.dom.example.com', is_test: true }),
  example(AuditLogResponse, {
    data: [
      {
        position: 42,
        at: CHANGED_AT,
        actor: `key:${KEY_ID}`,
        action: 'order-request.approve',
        object: `order-request:${REQUEST_ID}`,
        request_id: 'erp-7f3a',
      },
    ],
    pagination: { ...FIRST_OF_MANY, next_cursor: null },
  }),
  example(AuditVerifyResponse, {
    status: 'ok',
    checked: 42,
    unsealed: 0,
    complete: true,
    checked_from: 0,
    checked_to: 42,
    seal: null,
  }),
];
