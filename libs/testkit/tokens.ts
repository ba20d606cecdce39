import { json } from './http';
import type { TestOrganization } from './organization';

/** A token with these scopes only. */
export async function tokenWith(organization: TestOrganization, scopes: readonly string[]): Promise<string> {
  const answer = await organization.exchange(organization.apiKey.text, scopes.join(' '));
  if (answer.status !== 200)
    throw new Error(`the exchange answered ${answer.status}: ${answer.body.toString()}`);
  return json<{ access_token: string }>(answer).access_token;
}
