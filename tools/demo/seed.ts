import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Refused } from '@offizin/contracts/calls/errors';
import { createApiKeyFor, createOrganization, createShop } from '@offizin/contracts/people/directory';
import { listOrganizations } from '@offizin/contracts/people/organizations';
import type { Role } from '@offizin/contracts/people/roles';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { inviteStaffFor } from '@offizin/contracts/people/staff-operator';
import { callKeysOf } from '@offizin/local-stack/secrets';
import type { Stack } from '@offizin/local-stack/stack';
import { Offizin } from '../../clients/typescript/src/client';
import { Unauthorized } from '../../clients/typescript/src/errors';
import { importCatalogFile } from '../offizin/catalog';
import { Platform, type PlatformAccess } from '../offizin/platform';
import { type DemoOrganization, type DemoShop, writeJson } from '../up/demo-file';
import { CATALOG_FILE, STOCKED_AT_ONCE, stockProducts } from './products';

/**
 * What the demo holds: fictitious pharmacies with two shops each. The first shop is at the plain address and its
 * test shop at `localhost`, because programs other than browsers and curl do not resolve `*.localhost`.
 */
const ORGANIZATIONS = [
  {
    name: 'Sonnen-Apotheke',
    domain: 'sonnen-apotheke.example',
    testShop: { name: 'Sonnen-Apotheke Test', domain: 'localhost', is_test: true },
    shops: [
      { name: 'Sonnen-Apotheke Mitte', domain: '127.0.0.1' },
      { name: 'Sonnen-Apotheke Versand', domain: 'sonnen-versand.localhost' },
    ],
  },
  {
    name: 'Linden-Apotheke',
    domain: 'linden-apotheke.example',
    testShop: { name: 'Linden-Apotheke Test', domain: 'linden-test.localhost', is_test: true },
    shops: [
      { name: 'Linden-Apotheke am Markt', domain: 'linden-markt.localhost' },
      { name: 'Linden-Apotheke Online', domain: 'linden-online.localhost' },
    ],
  },
];

/** Where the demo goes. */
interface DemoPlace {
  /** Keeps the keys. */
  dataDir: string;
  /** `console`: where people open it, when that is not the gateway's own address. */
  urls: { gateway: string; connectorEdge: string; console?: string };
  operator: PlatformAccess;
}

/** A busy machine answers 503; each step may be repeated. */
const MAX_TRIES = 20;
const RETRY_MS = 1_000;

/**
 * Puts the demo into the running stack, by the operator's own operations and the public API. Keys are shown only once,
 * so they are kept beside the data; a second start finds them there and changes nothing.
 *
 * Guarantees: it may end at any moment. Each step is recorded in demo-seed.json, and the next start goes on after the
 * last one; what was made and not recorded is found, or replaced where its secret is lost.
 */
export async function seedDemo(place: DemoPlace, signal?: AbortSignal): Promise<DemoOrganization[]> {
  const keysFile = join(place.dataDir, 'demo-keys.json');
  const progressFile = join(place.dataDir, 'demo-seed.json');
  const seeded = readOrganizations(keysFile);
  const [first] = seeded;
  if (first && (await isAccepted(place.urls.gateway, first)))
    return seeded.map((organization) => withUrls(organization, place.urls));
  const platform = await Platform.connect(place.operator);
  try {
    await retried(() => importCatalogFile(platform, CATALOG_FILE), signal);
    const made = await presentOrganizations(platform, readOrganizations(progressFile));
    const record = (): void => {
      writeJson(progressFile, made);
      signal?.throwIfAborted();
    };
    for (const wanted of ORGANIZATIONS)
      await retried(() => seedOrganization({ platform, place, made, record }, wanted), signal);
    writeJson(keysFile, made);
    rmSync(progressFile, { force: true });
    return made.map((organization) => withUrls(organization, place.urls));
  } finally {
    await platform.close();
  }
}

interface Seeding {
  platform: Platform;
  place: DemoPlace;
  /** All organizations so far, the last one perhaps in part. */
  made: DemoOrganization[];
  /** Stores `made`. Throws when the start was cancelled. */
  record: () => void;
}

async function seedOrganization(
  { platform, place: { urls }, made, record }: Seeding,
  { name, domain, shops, testShop }: (typeof ORGANIZATIONS)[number],
): Promise<void> {
  let organization = made.find((one) => one.name === name);
  if (!organization) {
    const { org_id } = await platform.call(createOrganization, { name });
    organization = { org_id, name, api_key: '', integration_key: '', shops: [], staff: [] };
    made.push(organization);
    record();
  }
  const { org_id } = organization;
  if (organization.api_key === '') {
    const key = { org_id, name: 'Demo ERP', kind: 'org', scopes: ALL_SCOPES } as const;
    organization.api_key = (await platform.call(createApiKeyFor, key)).api_key;
    record();
  }
  if (organization.integration_key === '') {
    const key = { org_id, name: 'Demo telemedicine', kind: 'int' } as const;
    organization.integration_key = (await platform.call(createApiKeyFor, key)).api_key;
    record();
  }
  for (const shop of shops.slice(organization.shops.length)) {
    const shop_id = await shopIdOf(platform, urls.gateway, organization, shop);
    organization.shops.push({ shop_id, ...shop, shop_url: '' });
    record();
  }
  if (!organization.test_shop) {
    const shop_id = await shopIdOf(platform, urls.gateway, organization, testShop);
    const key = { org_id, name: 'Demo test shop', kind: 'int', shop_id } as const;
    const { api_key: integration_key } = await platform.call(createApiKeyFor, key);
    organization.test_shop = { shop_id, ...testShop, shop_url: '', integration_key };
    record();
  }
  for (const person of PEOPLE.slice(organization.staff.length)) {
    organization.staff.push(await invite(platform, urls, { orgId: org_id, domain, ...person }));
    record();
  }
  await stockProducts(
    clientOf(urls.gateway, organization),
    { shops: [...organization.shops, organization.test_shop] },
    STOCKED_AT_ONCE.map((p1_id) => ({ p1_id })),
  );
}

/** A domain that is taken may be that of this shop: an earlier start was interrupted before it recorded it. */
async function shopIdOf(
  platform: Platform,
  gatewayUrl: string,
  organization: DemoOrganization,
  shop: { name: string; domain: string; is_test?: boolean },
): Promise<string> {
  try {
    return (await platform.call(createShop, { org_id: organization.org_id, ...shop })).shop_id;
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'conflict') throw error;
    const { data } = await clientOf(gatewayUrl, organization).shops.list({}).firstPage();
    const known = data.find(({ name }) => name === shop.name);
    if (!known) throw error;
    return known.shop_id;
  }
}

function clientOf(baseUrl: string, { api_key: apiKey }: DemoOrganization): Offizin {
  return new Offizin({ baseUrl, apiKey });
}

/** Whether the database behind is the one that its key was made in. */
async function isAccepted(gatewayUrl: string, organization: DemoOrganization): Promise<boolean> {
  try {
    return (await clientOf(gatewayUrl, organization).organizationId()) === organization.org_id;
  } catch (error) {
    if (error instanceof Unauthorized) return false;
    throw error;
  }
}

/** Those that this database has: the data folder may have got another one. */
async function presentOrganizations(
  platform: Platform,
  recorded: readonly DemoOrganization[],
): Promise<DemoOrganization[]> {
  const present: DemoOrganization[] = [];
  for (const organization of recorded) {
    const { data } = await platform.call(listOrganizations, { org_id: organization.org_id });
    if (data.length > 0) present.push(organization);
  }
  return present;
}

/** Again after any failure but a refusal, until the last try. */
async function retried(work: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (signal?.aborted || error instanceof Refused || tries === MAX_TRIES) throw error;
      await pause(RETRY_MS, undefined, { signal });
    }
  }
}

function readOrganizations(file: string): DemoOrganization[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoOrganization[]) : [];
}

export function placeOf(stack: Stack): DemoPlace {
  return { dataDir: stack.dataDir, urls: stack.urls, operator: operatorOf(stack) };
}

function operatorOf(stack: Stack): PlatformAccess {
  const { url: natsUrl, user: natsUser = '', password: natsPassword = '', tlsCaFile } = stack.natsOperator;
  const broker = { natsUrl, natsUser, natsPassword, natsTlsCaFile: tlsCaFile };
  return { ...broker, callKeys: callKeysOf('operator', stack.secrets.callKeys) };
}

/** Ports may differ from one start to the next. */
function withUrls(organization: DemoOrganization, urls: DemoPlace['urls']): DemoOrganization {
  const { port } = new URL(urls.connectorEdge);
  const withUrl = <Shop extends DemoShop>(shop: Shop): Shop => ({
    ...shop,
    shop_url: `http://${shop.domain}:${port}`,
  });
  const { shops, test_shop: testShop } = organization;
  return { ...organization, shops: shops.map(withUrl), ...(testShop && { test_shop: withUrl(testShop) }) };
}

const PEOPLE: readonly { name: string; role: Role }[] = [
  { name: 'Martina Sommer', role: 'owner' },
  { name: 'Katharina Berg', role: 'pharmacist' },
  { name: 'Jonas Albrecht', role: 'pharmacist' },
  { name: 'Aylin Demir', role: 'clerk' },
];

/**
 * A person who can sign in to the console of this pharmacy, invited by the operator, with a password made for this data
 * folder. A known person gets a link for a new password.
 */
async function invite(
  platform: Platform,
  urls: DemoPlace['urls'],
  { orgId, domain, name, role }: { orgId: string; domain: string; name: string; role: Role },
): Promise<DemoOrganization['staff'][number]> {
  const email = `${name.split(' ')[0]?.toLowerCase() ?? role}@${domain}`;
  const password = randomBytes(12).toString('base64url');
  const { url } = await platform.call(inviteStaffFor, { org_id: orgId, email, name, role });
  await acceptInvitation(urls, { token: new URL(url).hash.slice(1), password });
  return { email, password, role };
}

/** As the console's welcome page does. */
async function acceptInvitation(
  { gateway, console = gateway }: DemoPlace['urls'],
  body: { token: string; password: string },
): Promise<void> {
  const answer = await fetch(`${gateway}/console/api/links/accept`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(console).origin,
      'x-offizin-console': '1',
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the invitation was not accepted: ${await answer.text()}`);
}
