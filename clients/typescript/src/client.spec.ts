import { inspect } from 'node:util';
import { Offizin } from './client';
import { OffizinConnector } from './connector';

const API_KEY = 'ofz_org_secret';
const TOKEN = 'token-secret';
const baseUrl = 'https://api.example.org';

it('shows neither key nor token when it is logged', async () => {
  const answer = { access_token: TOKEN, expires_in: 3600, org_id: 'org' };
  const offizin = new Offizin({ baseUrl, apiKey: API_KEY, fetch: async () => Response.json(answer) });
  expect(await offizin.organizationId()).toBe('org');
  const connector = new OffizinConnector({ shopUrl: baseUrl, integrationKey: API_KEY });
  for (const one of [offizin, connector]) {
    const shown = inspect(one, { depth: Infinity, showHidden: true }) + JSON.stringify(one);
    expect(shown).not.toMatch(/secret/);
  }
});

it.each([
  [{ baseUrl: '', apiKey: API_KEY }, /^new Offizin needs baseUrl, an address such as \S+\.$/],
  [{ baseUrl: 'api.example.org', apiKey: API_KEY }, /^new Offizin needs baseUrl, /],
  [{ baseUrl: 'localhost:3000', apiKey: API_KEY }, /^new Offizin needs baseUrl, /],
  [{ baseUrl, apiKey: '' }, /^new Offizin needs apiKey, a key without blanks\.$/],
  [{ baseUrl, apiKey: `${API_KEY}\n` }, /^new Offizin needs apiKey, /],
  [{ baseUrl: '', apiKey: '' }, /^new Offizin needs baseUrl, .*, and apiKey, a key without blanks\.$/],
])('refuses %j immediately, in one sentence', (options, said) => {
  expect(() => new Offizin(options)).toThrow(said);
  const { baseUrl: shopUrl, apiKey: integrationKey } = options;
  expect(() => new OffizinConnector({ shopUrl, integrationKey })).toThrow(/^new OffizinConnector needs /);
});
