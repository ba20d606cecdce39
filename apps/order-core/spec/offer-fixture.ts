import * as added from '@offizin/contracts/requests/added-documents';
import * as offers from '@offizin/contracts/requests/offers';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import type { OrderCoreFixture } from './spec-fixture';

/** For specs only: a request with what staff and its sender do with it, at each door of a sender. */
export const DOORS = {
  connector: {
    submit: requests.submitExternalOrder,
    replace: requests.replaceExternalOrder,
    add: added.addExternalDocument,
    cancel: requests.cancelExternalOrder,
    accept: offers.acceptExternalOffer,
    decline: offers.declineExternalOffer,
  },
  organization: {
    submit: requests.submitOrderRequest,
    replace: requests.replaceOrderRequest,
    add: added.addDocument,
    cancel: requests.cancelOrderRequest,
    accept: offers.acceptOffer,
    decline: offers.declineOffer,
  },
} as const;
export type Door = (typeof DOORS)[keyof typeof DOORS];
export const EACH_DOOR = Object.entries(DOORS);

/** Other lines than the request has. */
export const SMALLER = [{ name: 'Salbe', qty: 1, price: 3.5 }];
export const SMALLER_STORED = [{ p1_id: null, name: 'Salbe', quantity: 1, price: 3.5 }];

export interface Outcome {
  status: number | null;
  body: { error?: string | undefined; status?: string };
}
export const said = ({ status, body }: Outcome) => `${status} ${body.error ?? body.status ?? ''}`;
/** Of calls of different operations. */
export const outcomeOf = (sending: Promise<Outcome>): Promise<Outcome> => sending;

export type SentRequest = Awaited<ReturnType<typeof sentAt>>;
let references = 0;

export async function sentAt(
  core: OrderCoreFixture,
  { submit, replace, add, cancel, accept, decline }: Door,
  payload: object = {},
) {
  const envelope = { external_reference: `offer-${(references += 1)}`, source: 'telemedicine' };
  const bodyOf = (fields: object) => orderRequest({ shop_id: core.shopId, ...payload, ...fields }, envelope);
  const { id } = (await core.call(submit, { body: bodyOf({}) })).body;
  const params = { requestId: id };
  const detail = async () => (await core.call(review.getOrderRequest, { params })).body;
  return {
    id,
    params,
    detail,
    read: async () => (await core.call(requests.readExternalOrder, { params })).body,
    submit: (fields: object = {}) => core.call(submit, { body: bodyOf(fields) }),
    replace: (fields: object = {}) => core.call(replace, { params, body: bodyOf(fields) }),
    add: (title: string) => {
      const pdf_base64 = makePdf(title).toString('base64');
      return core.call(add, { params, body: { kind: 'other', pdf_base64 } });
    },
    cancel: () => core.call(cancel, { params, body: { reason: 'customer_request' } }),
    offer: (body: object = {}) =>
      core.call(offers.offerLines, { params, body: { version: 1, items: SMALLER, ...body } }),
    accept: (body: object = {}) => core.call(accept, { params, body }),
    decline: (body: object = {}) => core.call(decline, { params, body }),
    takeBack: () => core.call(review.withdrawClarification, { params }),
    approve: (body: object = {}) => core.call(review.approveOrderRequest, { params, body }),
    reject: () => core.call(review.rejectOrderRequest, { params, body: { reason: 'other' } }),
    offerState: async () => (await detail()).offer?.state ?? null,
    events: async () => (await core.eventsOf(id)).map(({ event_type }) => event_type),
    sequences: async () => (await core.eventsOf(id)).map(({ sequence }) => sequence),
    actions: async () =>
      (await core.actionsOn(`order-request:${id}`)).filter((action) => action !== 'order-request.read'),
  };
}
