import { randomBytes } from 'node:crypto';
import { type BrokerAddress, connectBus } from '@offizin/bus/connection';
import { Bus } from '@offizin/bus/bus';
import type { Caller } from '@offizin/contracts/calls/caller';
import { importCatalog } from '@offizin/contracts/products/catalog-import';
import { createApiKeyFor, createOrganization, createShop } from '@offizin/contracts/people/directory';
import type { Call, Operation, ReplyOf } from '@offizin/contracts/calls/operation';
import type { Role } from '@offizin/contracts/people/roles';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { inviteStaffFor } from '@offizin/contracts/people/staff-operator';
import { callKeysOf } from '@offizin/local-stack/secrets';
import type { Stack } from '@offizin/local-stack/stack';
import { CallKeys } from '@offizin/runtime/call-keys';
import { newRequestId } from '@offizin/runtime/request-id';
import { testEnvironment, type TestEnvironment } from './environment';
import { type ApiKey, type Shop, TestOrganization } from './organization';
import { TestPerson } from './person';

/** URLs of a running installation, and the operator's credentials. */
export type PlatformAccess = BrokerAddress & Pick<TestEnvironment, 'baseUrl' | 'connectorUrl' | 'callKeys'>;

/** Access to a stack that the test started itself. */
export function accessTo({ urls, secrets, natsOperator }: Stack): PlatformAccess {
  return {
    baseUrl: urls.gateway,
    connectorUrl: urls.connectorEdge,
    natsUrl: natsOperator.url,
    natsUser: natsOperator.user ?? '',
    natsPassword: natsOperator.password ?? '',
    natsTlsCaFile: natsOperator.tlsCaFile,
    callKeys: callKeysOf('operator', secrets.callKeys),
  };
}

/**
 * Creates organizations through the operator's operations. Each test has its own, so tests can run concurrently.
 */
export class TestPlatform {
  private connecting: Promise<Bus> | undefined;

  /** Connects with its first call. */
  constructor(readonly access: PlatformAccess = testEnvironment()) {}

  static async connect(access?: PlatformAccess): Promise<TestPlatform> {
    const platform = new TestPlatform(access);
    await platform.bus();
    return platform;
  }

  /**
   * Creates an organization with two shops, an integration key for both, an API key of all scopes and its token;
   * the edges know them all.
   */
  async organization(): Promise<TestOrganization> {
    const tag = uniqueTag();
    const org_id = await this.emptyOrganization();
    const shops: [Shop, Shop] = [await this.shop(org_id, `a-${tag}`), await this.shop(org_id, `b-${tag}`)];
    const integrationKey = await this.apiKey(org_id, { kind: 'int' });
    const apiKey = await this.apiKey(org_id, { kind: 'org', scopes: ALL_SCOPES });
    const organization = new TestOrganization(this.access, { orgId: org_id, shops, integrationKey, apiKey });
    await organization.becomeKnown();
    return organization;
  }

  /** Returns the id of a pharmacy that has nothing yet. */
  async emptyOrganization(): Promise<string> {
    return (await this.call(createOrganization, { name: `Apotheke ${uniqueTag()}` })).org_id;
  }

  async shop(orgId: string, name: string): Promise<Shop> {
    const { shop_id, domain } = await this.call(createShop, {
      org_id: orgId,
      name,
      domain: `${name}.localhost`,
    });
    return { shopId: shop_id, domain };
  }

  async apiKey(
    orgId: string,
    key: Pick<
      Call<typeof createApiKeyFor>['body'],
      'kind' | 'scopes' | 'shop_id' | 'reads_assortment' | 'expires_at'
    > & { name?: string },
  ): Promise<ApiKey> {
    const { id, api_key } = await this.call(createApiKeyFor, { org_id: orgId, name: 'test', ...key });
    return { id, text: api_key };
  }

  /** A person of the organization who has accepted the invitation and is signed in. */
  async person(orgId: string, role: Role, email?: string): Promise<TestPerson> {
    const { person, url } = await this.invite(orgId, role, email);
    await person.accept(new URL(url).hash.slice(1));
    return person;
  }

  /** An organization and a person of it. */
  async staffed(role: Role): Promise<{ organization: TestOrganization; person: TestPerson }> {
    const organization = await this.organization();
    return { organization, person: await this.person(organization.orgId, role) };
  }

  /** A person who has not set a password yet; `url` is the link that the owner hands over. */
  async invite(orgId: string, role: Role, givenEmail?: string): Promise<{ person: TestPerson; url: string }> {
    const tag = uniqueTag();
    const email = givenEmail ?? `${role}.${tag}@apotheke.example`;
    const { staff, url } = await this.call(inviteStaffFor, {
      org_id: orgId,
      email,
      name: `Anna ${tag}`,
      role,
    });
    const identity = { id: staff.id, orgId, email, password: `pass ${tag}` };
    return { person: new TestPerson(this.access.baseUrl, identity), url };
  }

  /** Creates products in the platform's catalog. */
  async catalogProducts(count: number): Promise<string[]> {
    const tag = uniqueTag();
    const ids = Array.from({ length: count }, (_, index) => `E2E-${tag}-${index}`);
    const lines = ids.map((p1_id) => ({ p1_id, name: `Produkt ${p1_id}`, price: 4.5 }));
    await this.call(importCatalog, { lines });
    return ids;
  }

  /** A product of the catalog with this many pieces in the organization's stock. */
  async stockedProduct(organization: TestOrganization, pieces: number): Promise<string> {
    const [p1Id = ''] = await this.catalogProducts(1);
    await organization.stock(p1Id, pieces);
    return p1Id;
  }

  async close(): Promise<void> {
    await (await this.connecting)?.connection.close();
  }

  private bus(): Promise<Bus> {
    return (this.connecting ??= this.connected());
  }

  private async connected(): Promise<Bus> {
    const connection = await connectBus({ ...this.access, name: 'operator' });
    return new Bus(connection, CallKeys.of('operator', this.access.callKeys));
  }

  private async call<O extends Operation>(op: O, body: Call<O>['body']): Promise<ReplyOf<O>> {
    const operator: Caller = {
      kind: 'platform',
      orgId: '',
      shopId: null,
      actorId: 'operator',
      scopes: [],
      requestId: newRequestId(),
    };
    return (await this.bus()).call(op, operator, body);
  }
}

/** For specs on the shared stack: the platform of a file, closed after its tests. */
export function usePlatform(): TestPlatform {
  const platform = new TestPlatform();
  afterAll(() => platform.close());
  return platform;
}

/** Distinguishes the objects of one test on a shared stack. */
export function uniqueTag(): string {
  // Searched words have no "ae".
  return randomBytes(6).toString('hex').replaceAll('ae', 'af');
}
