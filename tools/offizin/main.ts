import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { createApiKeyFor, createOrganization, createShop } from '@offizin/contracts/directory';
import { ALL_EVENT_TYPES, type EventType, isEventType } from '@offizin/contracts/events';
import { callKeysOf } from '@offizin/local-stack/call-keys';
import { readConfig } from '@offizin/runtime/config';
import { VERSION } from '@offizin/runtime/version';
import { backUp } from './backup/backup';
import { addToLedger, readErasures } from './backup/erasure-ledger';
import { restore, type RestoreOptions } from './backup/restore';
import { type ApiAccess, apiKeyOption, baseUrlOption } from './api-access';
import { addCatalogCommand } from './catalog/command';
import { OperatorConfig } from './config';
import { examine } from './doctor/doctor';
import { type Installation, installationFrom, localInstallation } from './doctor/installation';
import { addInventoryCommand } from './inventory/command';
import { keyBody, type KeyOptions } from './key-options';
import { Listener } from './listen';
import { Platform, type PlatformAccess } from './platform';
import { dataFolder, brokerOf, readRunningStack } from './running-stack';
import { addSetAsideCommands } from './set-aside/commands';
import { addStaffCommands } from './staff-commands';

/**
 * `npm run offizin -- …`: the operator's command line. It finds a stack that runs on this machine by its data folder;
 * any other installation by NATS_URL, NATS_USER, NATS_PASSWORD and CALL_KEYS.
 */
const program = new Command('offizin')
  .description('Operates a running Offizin: organizations, shops, API keys, catalog.')
  .version(VERSION)
  .addOption(new Option('--data-dir <folder>', 'data folder of a local stack').env('OFFIZIN_DATA_DIR'));

program
  .command('create-organization')
  .description('create an organization')
  .argument('<name>')
  .action((name: string) => withPlatform((platform) => platform.call(createOrganization, { name })));

program
  .command('create-shop')
  .description('create a shop with its own domain')
  .requiredOption('--org <id>', 'organization')
  .requiredOption('--domain <host name>', 'where the connector serves it')
  .argument('<name>')
  .action((name: string, { org, domain }: { org: string; domain: string }) =>
    withPlatform((platform) => platform.call(createShop, { org_id: org, name, domain })),
  );

program
  .command('create-key')
  .description('create an API key; it is printed this once')
  .requiredOption('--org <id>', 'organization')
  .addOption(
    new Option('--kind <kind>', 'org: for tokens; int: for the connector')
      .choices(['org', 'int'])
      .default('org'),
  )
  .option('--scopes <list>', 'scopes with commas between; left out: all (kind org)')
  .option('--shop <id>', 'the one shop it is bound to (kind int)')
  .option('--expires <time>', 'ISO 8601')
  .argument('<name>', 'what it is for')
  .action((name: string, options: KeyOptions) => {
    const body = { name, ...keyBody(options) };
    return withPlatform((platform) => platform.call(createApiKeyFor, body));
  });

program
  .command('doctor')
  .description('look at configuration, processes, databases, broker, clocks and disk; say what to do')
  .option('--configuration <app=file...>', "an app's environment file to check", [])
  .action(async ({ configuration }: { configuration: string[] }) => {
    const well = await examine({ dataDir: folder(), environmentFiles: configuration }, (line) =>
      console.log(line),
    );
    if (!well) process.exitCode = 1;
  });

program
  .command('listen')
  .description('subscribe, and print every webhook that comes, verified, until Ctrl-C')
  .addOption(baseUrlOption())
  .addOption(apiKeyOption('webhooks.write'))
  .option('--events <list>', 'kinds with commas between; all unless given')
  .option('--port <number>', 'where to listen on 127.0.0.1; a free one unless given', '0')
  .option('--public-url <url>', 'under which the installation reaches this machine, if it is another one')
  .option('--forward-to <url>', 'hand each delivery on to this receiver, and answer as it does')
  .option('--json', 'print each event as one line of JSON', false)
  .action(listen);

program
  .command('backup')
  .description('copy the running local stack into a new folder; the copy holds its secrets')
  .argument('<folder>')
  .action(async (target: string) => {
    const { dataDir, demo } = readRunningStack(folder());
    const report = await backUp({ dataDir, adminDatabaseUrl: demo.database_url }, resolve(target));
    console.log(JSON.stringify(report, null, 2));
  });

program
  .command('restore')
  .description('put a backup into the data folder of a stack that does not run; then npm start')
  .option('--replace', 'lose the database that is there', false)
  .option('--erasures <file>', 'ledger of erasures that is newer than the backup')
  .option('--without-erasures', 'restore although customers erased after the backup come back', false)
  .argument('<folder>')
  .action(async (source: string, { erasures, ...options }: RestoreOptions) => {
    const ledger = erasures === undefined ? undefined : resolve(erasures);
    const count = await restore(resolve(source), folder(), { ...options, erasures: ledger });
    console.log(`Restored into ${folder()}; ${count} erasures will be applied. Start it with npm start.`);
  });

program
  .command('erasures')
  .description('add all erasures to a ledger file, for a restore; it holds hashes and ids only')
  .addOption(
    new Option('--database-url <url>', "administrator's URL; the local stack's unless given").env(
      'DATABASE_URL',
    ),
  )
  .argument('<file>')
  .action(async (file: string, { databaseUrl }: { databaseUrl?: string }) => {
    const url = databaseUrl ?? readRunningStack(folder()).demo.database_url;
    const erasures = await addToLedger(resolve(file), await readErasures(url));
    console.log(JSON.stringify({ file: resolve(file), erasures }, null, 2));
  });

addCatalogCommand(program, withPlatform);
addInventoryCommand(program, accessOf);
addSetAsideCommands(program, installation);
addStaffCommands(program, withPlatform);

/** From the environment when it names a database, else the local stack. */
function installation(): Installation {
  const named = installationFrom(process.env);
  return named.databases.length > 0 ? named : localInstallation(folder());
}

interface ListenCommandOptions extends Partial<ApiAccess> {
  events?: string;
  port: string;
  publicUrl?: string;
  forwardTo?: string;
  json: boolean;
}

async function listen(options: ListenCommandOptions): Promise<void> {
  const { events, publicUrl, json } = options;
  const forwardTo = options.forwardTo === undefined ? undefined : httpAddress(options.forwardTo);
  const listener = await Listener.start({
    ...accessOf(options),
    port: Number(options.port),
    publicUrl,
    forwardTo,
    eventTypes: events === undefined ? undefined : eventTypesOf(events),
    asJson: json,
    print: (line) => console.log(line),
    note: (line) => console.error(line),
  });
  console.error(`Listening as ${listener.url}. Ctrl-C ends the subscription.`);
  if (forwardTo !== undefined) console.error(`The receiver verifies with the secret ${listener.secret}`);
  // One Ctrl-C arrives several times: from the terminal, from npm and from the bootstrap.
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= listener.stop().then(() => process.exit(0), fail));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
}

function httpAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`--forward-to takes an address such as http://127.0.0.1:8080/webhooks, not ${text}`);
  return text;
}

function eventTypesOf(list: string): EventType[] {
  const wanted = list.split(',');
  const unknown = wanted.filter((kind) => !isEventType(kind));
  if (unknown.length === 0) return wanted.filter(isEventType);
  throw new Error(`There is no event ${unknown.join(', ')}. Events: ${ALL_EVENT_TYPES.join(', ')}`);
}

function accessOf({ baseUrl, apiKey }: Partial<ApiAccess>): ApiAccess {
  return {
    baseUrl: baseUrl ?? readRunningStack(folder()).demo.base_url,
    apiKey: apiKey ?? demoApiKey(),
  };
}

function demoApiKey(): string {
  const [organization] = readRunningStack(folder()).demo.organizations;
  if (!organization) throw new Error('The demo has no organization: name a key by --api-key.');
  return organization.api_key;
}

async function withPlatform(work: (platform: Platform) => Promise<object>): Promise<void> {
  const platform = await Platform.connect(access());
  try {
    console.log(JSON.stringify(await work(platform), null, 2));
  } finally {
    await platform.close();
  }
}

/** From the environment when it names a broker, else from the files of the local stack. */
function access(): PlatformAccess {
  if (process.env['NATS_URL']) return readConfig(OperatorConfig, process.env);
  const { demo, secrets } = readRunningStack(folder());
  return { ...brokerOf(demo), callKeys: callKeysOf('operator', secrets.callKeys) };
}

function folder(): string {
  return dataFolder(program.opts<{ dataDir?: string }>().dataDir);
}

program.parseAsync().catch(fail);

function fail(error: unknown): void {
  console.error(`offizin: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
