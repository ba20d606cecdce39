import { answerOf, type ApiCall, type ApiServer, withoutSlashes } from './api-call';
import type { components } from './generated/api';
import type { CallOptions } from './resource-types';
import { Transport, type TransportOptions } from './transport';

type Schemas = components['schemas'];

export interface OffizinConnectorOptions extends TransportOptions {
  /** Address of the shop, which the pharmacy hands out with the key. */
  shopUrl: string;
  /** The integration key of the partner; for servers only, never for a page in a browser. */
  integrationKey: string;
}

/** What a partner hands in. The reference makes a repeat the same request, so it is required here. */
export type OrderRequestInput = Schemas['OrderRequestEnvelope'] & { external_reference: string };

/** The connector of one shop, for telemedicine platforms: hand in order requests and follow them. */
export class OffizinConnector {
  private readonly server: ApiServer;

  constructor({ shopUrl, integrationKey, ...options }: OffizinConnectorOptions) {
    this.server = {
      baseUrl: `${withoutSlashes(shopUrl)}/api/v1/external-order`,
      transport: new Transport(options),
      credentials: { header: async () => ['apikey', integrationKey], renew: () => false },
    };
  }

  /** Hands in an order request, or a new version of one that was asked about. Repeating it is safe. */
  async submit(input: OrderRequestInput, options?: CallOptions): Promise<Schemas['OrderRequestResponse']> {
    if (!input.external_reference) throw new TypeError('submit needs an external_reference.');
    return this.call<Schemas['OrderRequestResponse']>({ method: 'POST', path: '', body: input }, options);
  }

  /** The order request with this reference of the partner. Throws `NotFound`. */
  async find(externalReference: string, options?: CallOptions): Promise<Schemas['OrderRequestProgress']> {
    const query = { external_reference: externalReference };
    return this.call<Schemas['OrderRequestProgress']>({ method: 'GET', path: '', query }, options);
  }

  /** The order request with this id, which `submit` gave. Throws `NotFound`. */
  async read(requestId: string, options?: CallOptions): Promise<Schemas['OrderRequestProgress']> {
    const path = `/${encodeURIComponent(requestId)}`;
    return this.call<Schemas['OrderRequestProgress']>({ method: 'GET', path }, options);
  }

  private async call<Answer>(call: ApiCall, options: CallOptions = {}): Promise<Answer> {
    return (await answerOf(call, options, this.server)) as Answer;
  }
}
