import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { testEnvironment } from '@offizin/testkit/environment';
import { http } from '@offizin/testkit/http';

/** A visitor opens the address of the gateway. */
const { baseUrl } = testEnvironment();

const linksIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, link = '']) => link);

async function expectReachable(paths: readonly string[]): Promise<void> {
  for (const path of paths) expect([path, (await http(`${baseUrl}${path}`)).status]).toEqual([path, 200]);
}

it('leads to the console, the reference, the description, every guide, the index for agents and the health', async () => {
  const answer = await http(`${baseUrl}/`);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  const links = linksIn(answer.body.toString(), /href="([^"]*)"/g);
  const guides = readdirSync(join(checkoutRoot, 'docs', 'guides')).map((file) => `/guides/${file}`);
  expect(links).toEqual(
    expect.arrayContaining([
      '/console',
      '/docs',
      '/openapi/external-api.yaml',
      '/llms.txt',
      '/health',
      ...guides,
    ]),
  );
  await expectReachable(links);
});

it('answers the guides as text whose links lead on', async () => {
  const page = (await http(`${baseUrl}/guides/getting-started.md`)).body.toString();
  const links = linksIn(page, /\]\(([^)]*)\)/g);
  expect(links).toContain('webhooks.md');
  await expectReachable(links.map((link) => `/guides/${link}`));
  expect((await http(`${baseUrl}/guides/nothing.md`)).status).toBe(404);
});

it('answers llms.txt with every guide and operation, and nothing of the console', async () => {
  const answer = await http(`${baseUrl}/llms.txt`);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  const text = answer.body.toString();
  expect(text).toMatch(/^# Offizin\n\n> /);
  expect(text).toContain('- POST /api/v2/public/orgs/{orgId}/orders: ');
  expect(text).not.toContain('/review/requests');
  await expectReachable(linksIn(text, /\]\(([^)]*)\)/g));
});
