import { type Command, Option } from 'commander';
import {
  type CreateApiKeyBody,
  createApiKeyFor,
  createOrganization,
  createShop,
} from '@offizin/contracts/people/directory';
import {
  listOrganizations,
  type OrganizationRow,
  type OrganizationsResponse,
} from '@offizin/contracts/people/organizations';
import { ALL_SCOPES, isScope } from '@offizin/contracts/people/scopes';
import { Offizin } from '../../../clients/typescript/src/client';
import { type AccessOf, type ApiAccess, byKeyOrOperator } from '../api-access';
import type { Output } from '../output';
import type { Platform, WithPlatform } from '../platform';
import { API_NOUNS, type NounCommands } from './api-nouns';

const COLUMNS = ['org_id', 'name', 'is_active', 'shops', 'live_keys', 'created_at'];

interface Reach {
  withPlatform: WithPlatform;
  accessOf: AccessOf;
  output: Output;
}

/** What the operator does with organizations, shops and keys. */
export function addOperatorNouns(program: Command, nouns: NounCommands, reach: Reach): void {
  const { withPlatform, output } = reach;
  const organizations = program.command('organizations').description('tenants: pharmacies with their shops');
  organizations
    .command('list')
    .description('list all organizations, oldest first')
    .action(() => withPlatform(async (platform) => ({ data: await everyOrganization(platform) }), COLUMNS));
  organizations
    .command('show')
    .description('show one by its id')
    .argument('<id>')
    .action((id: string) => withPlatform((platform) => organization(platform, id)));
  addOrganizationCreation(organizations.command('create'), withPlatform);
  addShopCreation(nouns.shops.command('create'), withPlatform);
  const command = keyCreation(nouns.keys.command('create'));
  byKeyOrOperator(command, API_NOUNS.keys.writes).action(
    (name: string, options: KeyOptions & Partial<ApiAccess>) =>
      options.org === undefined
        ? createOwnKey(reach, name, options).then((key) => output.answer(key))
        : createKeyOf(withPlatform, name, options),
  );
}

function addOrganizationCreation(command: Command, withPlatform: WithPlatform): void {
  command
    .description('create an organization')
    .option('--same-name', 'also if an organization with this name exists', false)
    .argument('<name>')
    .action((name: string, { sameName }: { sameName: boolean }) =>
      withPlatform(async (platform) => {
        if (!sameName) refuseName(name, await everyOrganization(platform));
        return platform.call(createOrganization, { name });
      }),
    );
}

/** A name is not a key: a command that is repeated would make another organization without a word. */
function refuseName(name: string, present: readonly OrganizationRow[]): void {
  const asRead = (text: string): string => text.normalize('NFC').trim().toLowerCase();
  const ids = present.filter((other) => asRead(other.name) === asRead(name)).map(({ org_id: id }) => id);
  if (ids.length === 0) return;
  throw new Error(
    `There is an organization "${name}" already: ${ids.join(', ')}. Another one of this name needs --same-name.`,
  );
}

function addShopCreation(command: Command, withPlatform: WithPlatform): void {
  command
    .description('create a shop with its own domain')
    .requiredOption('--org <id>', 'organization')
    .requiredOption('--domain <host name>', 'where the connector serves it')
    .option('--test', 'a shop for tests, for ever: marked, without stock, in no report')
    .argument('<name>')
    .action((name: string, { org, domain, test }: { org: string; domain: string; test?: true }) =>
      withPlatform((platform) => platform.call(createShop, { org_id: org, name, domain, is_test: test })),
    );
}

function keyCreation(command: Command): Command {
  return command
    .description('create an API key; it is printed this once')
    .addOption(
      new Option('--kind <kind>', 'org: for tokens; int: for the connector')
        .choices(['org', 'int'])
        .default('org'),
    )
    .option('--scopes <list>', 'scopes with commas between; left out: all (kind org)')
    .option('--shop <id>', 'the one shop it is bound to (kind int)')
    .option('--no-assortment', 'it may not list the products of its shops (kind int)')
    .option('--expires <time>', 'ISO 8601')
    .argument('<name>', 'what it is for');
}

async function createKeyOf(withPlatform: WithPlatform, name: string, options: KeyOptions): Promise<void> {
  const body = { org_id: options.org ?? '', name, ...keyBody(options) };
  return withPlatform((platform) => platform.call(createApiKeyFor, body));
}

async function createOwnKey(
  { accessOf }: Reach,
  name: string,
  options: KeyOptions & Partial<ApiAccess>,
): Promise<object> {
  return new Offizin(accessOf(options)).apiKeys.create({ name, ...keyBody(options) });
}

async function everyOrganization(platform: Platform): Promise<OrganizationRow[]> {
  const found: OrganizationRow[] = [];
  let after: string | undefined;
  do {
    const page: OrganizationsResponse = await platform.call(listOrganizations, { after });
    found.push(...page.data);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

export async function organization(platform: Platform, id: string): Promise<object> {
  const { data } = await platform.call(listOrganizations, { org_id: id });
  const [found] = data;
  if (found) return found;
  throw new Error(`There is no organization ${id}. List them: offizin organizations list`);
}

/** The options of `keys create`, as they were typed. */
interface KeyOptions {
  org?: string;
  kind: 'org' | 'int';
  scopes?: string;
  shop?: string;
  /** false by --no-assortment. */
  assortment?: boolean;
  expires?: string;
}

/** What they ask for; a key for tokens gets all scopes unless some are named. Throws what to type instead. */
export function keyBody({
  kind,
  scopes,
  shop,
  assortment,
  expires,
}: KeyOptions): Omit<CreateApiKeyBody, 'name'> {
  if (kind === 'int' && scopes !== undefined) {
    throw new Error(
      'A connector key (--kind int) carries no scopes: leave --scopes out, or make a key of kind org.',
    );
  }
  const wanted = scopes === undefined || scopes === 'all' ? ALL_SCOPES : scopes.split(',');
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    throw new Error(`--scopes: there is no scope ${unknown.join(', ')}. Scopes: ${ALL_SCOPES.join(', ')}`);
  }
  const granted = kind === 'org' ? wanted.filter(isScope) : undefined;
  const reads_assortment = assortment === false ? false : undefined;
  return { kind, scopes: granted, shop_id: shop, reads_assortment, expires_at: expires };
}
