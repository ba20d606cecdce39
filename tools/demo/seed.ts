import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKeyFor, createOrganization, createShop } from '@offizin/contracts/people/directory';
import type { Role } from '@offizin/contracts/people/roles';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { inviteStaffFor } from '@offizin/contracts/people/staff-operator';
import { callKeysOf } from '@offizin/local-stack/secrets';
import type { Stack } from '@offizin/local-stack/stack';
import { importCatalogFile } from '../offizin/catalog';
import { Platform, type PlatformAccess } from '../offizin/platform';
import type { DemoOrganization } from '../up/demo-file';
import { OrganizationClient } from './organization-client';
import { CATALOG_FILE, STOCKED_AT_ONCE, stockProducts } from './products';

/**
 * What the demo holds: fictitious pharmacies with two shops each. The first shop is at the plain address, because
 * `*.localhost` resolves in browsers and curl only.
 */
const ORGANIZATIONS = [
  {
    name: 'Sonnen-Apotheke',
    domain: 'sonnen-apotheke.example',
    shops: [
      { name: 'Sonnen-Apotheke Mitte', domain: '127.0.0.1' },
      { name: 'Sonnen-Apotheke Versand', domain: 'sonnen-versand.localhost' },
    ],
  },
  {
    name: 'Linden-Apotheke',
    domain: 'linden-apotheke.example',
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
  urls: { gateway: string; connectorEdge: string };
  operator: PlatformAccess;
}

/**
 * Puts the demo into the running stack, by the operator's own operations and the public API. Keys are shown only once,
 * so they are kept beside the data; a second start finds them there and changes nothing.
 */
export async function seedDemo(place: DemoPlace): Promise<DemoOrganization[]> {
  const file = join(place.dataDir, 'demo-keys.json');
  if (existsSync(file)) {
    const seeded = JSON.parse(readFileSync(file, 'utf8')) as DemoOrganization[];
    const [first] = seeded;
    if (first && (await OrganizationClient.accepts(place.urls.gateway, first.api_key))) {
      return seeded.map((organization) => withUrls(organization, place.urls));
    }
  }
  const platform = await Platform.connect(place.operator);
  try {
    await importCatalogFile(platform, CATALOG_FILE);
    const organizations = [];
    for (const organization of ORGANIZATIONS)
      organizations.push(await seedOrganization(platform, place.urls, organization));
    writeFileSync(file, `${JSON.stringify(organizations, null, 2)}\n`, { mode: 0o600 });
    return organizations;
  } finally {
    await platform.close();
  }
}

async function seedOrganization(
  platform: Platform,
  urls: DemoPlace['urls'],
  { name, domain, shops: wanted }: (typeof ORGANIZATIONS)[number],
): Promise<DemoOrganization> {
  const { org_id } = await platform.call(createOrganization, { name });
  const shops = [];
  for (const shop of wanted) {
    const { shop_id } = await platform.call(createShop, { org_id, ...shop });
    shops.push({ shop_id, ...shop, shop_url: '' });
  }
  const key = await platform.call(createApiKeyFor, {
    org_id,
    name: 'Demo ERP',
    kind: 'org',
    scopes: ALL_SCOPES,
  });
  const integrationKey = await platform.call(createApiKeyFor, {
    org_id,
    name: 'Demo telemedicine',
    kind: 'int',
  });
  const organization = {
    org_id,
    name,
    api_key: key.api_key,
    integration_key: integrationKey.api_key,
    shops,
    staff: await inviteStaff(platform, urls.gateway, { orgId: org_id, domain }),
  };
  const client = await OrganizationClient.connect(urls.gateway, org_id, organization.api_key);
  await stockProducts(
    client,
    organization,
    STOCKED_AT_ONCE.map((p1_id) => ({ p1_id })),
  );
  return withUrls(organization, urls);
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
  const shops = organization.shops.map((shop) => ({ ...shop, shop_url: `http://${shop.domain}:${port}` }));
  return { ...organization, shops };
}

const PEOPLE: readonly { name: string; role: Role }[] = [
  { name: 'Martina Sommer', role: 'owner' },
  { name: 'Katharina Berg', role: 'pharmacist' },
  { name: 'Jonas Albrecht', role: 'pharmacist' },
  { name: 'Aylin Demir', role: 'clerk' },
];

/**
 * People who can sign in to the console of this pharmacy, invited by the operator. Their passwords are made for this
 * data folder.
 */
async function inviteStaff(
  platform: Platform,
  gatewayUrl: string,
  { orgId, domain }: { orgId: string; domain: string },
): Promise<DemoOrganization['staff']> {
  const staff = [];
  for (const { name, role } of PEOPLE) {
    const email = `${name.split(' ')[0]?.toLowerCase() ?? role}@${domain}`;
    const password = randomBytes(12).toString('base64url');
    const { url } = await platform.call(inviteStaffFor, { org_id: orgId, email, name, role });
    await acceptInvitation(gatewayUrl, { token: new URL(url).hash.slice(1), password });
    staff.push({ email, password, role });
  }
  return staff;
}

/** As the console's welcome page does. */
async function acceptInvitation(
  gatewayUrl: string,
  body: { token: string; password: string },
): Promise<void> {
  const answer = await fetch(`${gatewayUrl}/console/api/links/accept`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(gatewayUrl).origin,
      'x-offizin-console': '1',
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the invitation was not accepted: ${await answer.text()}`);
}
