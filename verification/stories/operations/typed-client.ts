import { expectDescribed } from '@offizin/testkit/described-answers';
import type { TestOrganization } from '@offizin/testkit/organization';
import { Offizin } from '../../../clients/typescript/src/client';

/**
 * The published client for an organization of the test: what it sends and reads is checked by the compiler, and every
 * answer is held against the description, as those of `Organization.api` are.
 */
export function typedClient(organization: TestOrganization): Offizin {
  const checkedFetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    expectDescribed(request.method, request.url, {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.clone().arrayBuffer()),
      durationMs: 0,
    });
    return response;
  };
  const { baseUrl } = organization.urls;
  return new Offizin({ baseUrl, apiKey: organization.apiKey.text, fetch: checkedFetch });
}
