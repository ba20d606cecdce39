/** The organization API as an integrator calls it, for the seed: a token, then JSON. */
export class OrganizationClient {
  private constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  static async connect(baseUrl: string, orgId: string, apiKey: string): Promise<OrganizationClient> {
    const token = await exchange(baseUrl, apiKey);
    if (token === null) throw new Error('The API key was not accepted.');
    return new OrganizationClient(`${baseUrl}/api/v2/public/orgs/${orgId}`, token);
  }

  /** True when the key can still be exchanged: the database behind is the one it was made in. */
  static async accepts(baseUrl: string, apiKey: string): Promise<boolean> {
    return (await exchange(baseUrl, apiKey)) !== null;
  }

  /** Throws with the answer when it is not a success. */
  async post(path: string, body: object): Promise<unknown> {
    return this.call('POST', path, body);
  }

  async put(path: string, body: object): Promise<unknown> {
    return this.call('PUT', path, body);
  }

  async get(path: string): Promise<unknown> {
    return this.call('GET', path);
  }

  private async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

async function exchange(baseUrl: string, apiKey: string): Promise<string | null> {
  const response = await fetch(`${baseUrl}/auth/token`, { method: 'POST', headers: { 'x-api-key': apiKey } });
  if (response.status === 401) return null;
  if (!response.ok) throw new Error(`POST /auth/token answered ${response.status}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
