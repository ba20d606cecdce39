import { answerOf, type ApiCall, type ApiServer, checkedAddress } from './api-call';
import type { components } from './generated/api';
import type { CallOptions } from './resource-types';
import { type Items, itemsOf } from './items';
import { Transport, type TransportOptions } from './transport';

type Schemas = components['schemas'];

export interface OffizinConnectorOptions extends TransportOptions {
  /** Address of the shop, which the pharmacy hands out with the key. */
  shopUrl: string;
  /** The integration key of the partner; for servers only, never for a page in a browser. */
  integrationKey: string;
}

/** What a partner hands in. The reference makes a repeat the same request, so it is required here. */
export type OrderRequestInput = Schemas['ExternalOrderEnvelope'] & { external_reference: string };

/** The URL of the partner that is notified of its requests at the shop; see `verifyCallback`. */
export interface ConnectorCallback {
  /** Sets the URL. Each call makes a new secret; for the same URL the one before also signs for 24 hours. */
  put: (url: string, options?: CallOptions) => Promise<Schemas['CallbackWithSecret']>;
  /** Without the secret. Throws `NotFound`. */
  get: (options?: CallOptions) => Promise<Schemas['Callback']>;
  /** Also cancels what was not delivered yet. Throws `NotFound`. */
  delete: (options?: CallOptions) => Promise<void>;
}

/** The own order requests: the list of all, and what their sender does while one is undecided; later it throws `AlreadyDecided`. */
export interface ConnectorRequests {
  /** `for await` walks all pages, the oldest change of a request or its order first. */
  list: (
    query?: { limit?: number; updated_since?: string; status?: Schemas['OrderRequestProgress']['status'] },
    options?: CallOptions,
  ) => Items<Schemas['OrderRequestProgress'], Schemas['ExternalOrdersResponse']>;
  /** Makes the input the next version of the request; equal content changes nothing. */
  replace: (
    requestId: string,
    input: Schemas['OrderRequestEnvelope'],
    options?: CallOptions,
  ) => Promise<Schemas['ReplaceResponse']>;
  documents: {
    /** Adds a document, up to five with those of the payload. The same document again changes nothing. */
    add: (
      requestId: string,
      input: Schemas['AddDocumentBody'],
      options?: CallOptions,
    ) => Promise<Schemas['AddDocumentResponse']>;
  };
  /** Answers the open offer of the pharmacist, which `read` gives as `offer`. The same answer again changes nothing. */
  offer: {
    accept: AnswerOffer;
    decline: AnswerOffer;
  };
  /** Withdraws the request, for ever. */
  cancel: (
    requestId: string,
    input: Schemas['CancelOrderRequestBody'],
    options?: CallOptions,
  ) => Promise<Schemas['OrderRequestResponse']>;
}

/** The certification: what this key has done at a test shop, before the first patient. */
export interface ConnectorCertification {
  /** Every step, with the time at which it was done first. */
  get: (options?: CallOptions) => Promise<Schemas['CertificationResponse']>;
  /** No step is done any more. */
  restart: (options?: CallOptions) => Promise<void>;
}

/** `offer_id` names the offer that is meant. Throws `Conflict`, with the code `offer_expired` when it is too late. */
type AnswerOffer = (
  requestId: string,
  input?: Schemas['OfferMessageBody'],
  options?: CallOptions,
) => Promise<Schemas['OrderRequestResponse']>;

/** What the shop sells, with a stock class. */
export interface ConnectorProducts {
  /** `for await` walks all pages; with `updated_since` it walks what changed, products that were detached included. */
  list: (
    query?: { limit?: number; updated_since?: string },
    options?: CallOptions,
  ) => Items<Schemas['PartnerProduct'], Schemas['PartnerProductsResponse']>;
}

const PRODUCTS = '/api/v1/products';
const ORDER_REQUESTS = '/api/v1/external-order';
const OWN_REQUESTS = '/api/v1/external-orders';
const CALLBACK = '/api/v1/callback';
const SHOP = '/api/v1/shop';
const CERTIFICATION = '/api/v1/certification';

/** The connector of one shop, for telemedicine platforms: hand in order requests and follow them. */
export class OffizinConnector {
  readonly callback: ConnectorCallback;
  readonly certification: ConnectorCertification;
  readonly requests: ConnectorRequests;
  readonly products: ConnectorProducts;
  readonly #server: ApiServer;

  constructor({ shopUrl, integrationKey, ...options }: OffizinConnectorOptions) {
    const baseUrl = checkedAddress(
      'OffizinConnector',
      ['shopUrl', shopUrl],
      ['integrationKey', integrationKey],
    );
    this.#server = {
      baseUrl,
      transport: new Transport(options),
      credentials: { header: async () => ['apikey', integrationKey], renew: () => false },
    };
    this.callback = {
      put: (url, options) => this.call({ method: 'PUT', path: CALLBACK, body: { url } }, options),
      get: (options) => this.call({ method: 'GET', path: CALLBACK }, options),
      delete: (options) => this.call({ method: 'DELETE', path: CALLBACK }, options),
    };
    this.certification = {
      get: (options) => this.call({ method: 'GET', path: CERTIFICATION }, options),
      restart: (options) => this.call({ method: 'DELETE', path: CERTIFICATION }, options),
    };
    this.requests = {
      list: (given = {}, options) =>
        itemsOf(given, 'cursor', (query) =>
          this.call({ method: 'GET', path: OWN_REQUESTS, query }, options),
        ) as ReturnType<ConnectorRequests['list']>,
      replace: (id, body, options) => this.call({ method: 'PUT', path: pathOf(id), body }, options),
      documents: {
        add: (id, body, options) =>
          this.call({ method: 'POST', path: `${pathOf(id)}/documents`, body }, options),
      },
      offer: {
        accept: (id, body = {}, options) =>
          this.call({ method: 'POST', path: `${pathOf(id)}/offer/accept`, body }, options),
        decline: (id, body = {}, options) =>
          this.call({ method: 'POST', path: `${pathOf(id)}/offer/decline`, body }, options),
      },
      cancel: (id, body, options) =>
        this.call({ method: 'POST', path: `${pathOf(id)}/cancel`, body }, options),
    };
    this.products = {
      list: (given = {}, options) =>
        itemsOf(given, 'cursor', (query) =>
          this.call({ method: 'GET', path: PRODUCTS, query }, options),
        ) as ReturnType<ConnectorProducts['list']>,
    };
  }

  /** Name of the shop, when the key ends, and the limits. */
  async shop(options?: CallOptions): Promise<Schemas['PartnerShop']> {
    return this.call<Schemas['PartnerShop']>({ method: 'GET', path: SHOP }, options);
  }

  /** Hands in an order request, or a new version of one that was asked about. Repeating it is safe. */
  async submit(input: OrderRequestInput, options?: CallOptions): Promise<Schemas['OrderRequestResponse']> {
    if (!input.external_reference) throw new TypeError('submit needs an external_reference.');
    return this.call<Schemas['OrderRequestResponse']>(
      { method: 'POST', path: ORDER_REQUESTS, body: input },
      options,
    );
  }

  /** The order request with this reference of the partner. Throws `NotFound`. */
  async find(externalReference: string, options?: CallOptions): Promise<Schemas['OrderRequestProgress']> {
    const query = { external_reference: externalReference };
    return this.call<Schemas['OrderRequestProgress']>(
      { method: 'GET', path: ORDER_REQUESTS, query },
      options,
    );
  }

  /** The order request with this id, which `submit` gave. Throws `NotFound`. */
  async read(requestId: string, options?: CallOptions): Promise<Schemas['OrderRequestProgress']> {
    return this.call<Schemas['OrderRequestProgress']>({ method: 'GET', path: pathOf(requestId) }, options);
  }

  private async call<Answer>(call: ApiCall, options: CallOptions = {}): Promise<Answer> {
    return (await answerOf(call, options, this.#server)) as Answer;
  }
}

function pathOf(requestId: string): string {
  return `${ORDER_REQUESTS}/${encodeURIComponent(requestId)}`;
}
