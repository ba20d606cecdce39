import { readAddress } from '../lists/address';

/** The address of a customer's page: a request or an order of the person. It names no e-mail. */
export interface CustomerSearch {
  request?: string;
  order?: string;
}

export function readCustomerSearch(search: Readonly<Record<string, unknown>>): CustomerSearch {
  return readAddress(search, { request: null, order: null });
}
