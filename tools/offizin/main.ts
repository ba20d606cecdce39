import { Command, CommanderError, Option } from 'commander';
import { readConfig } from '@offizin/runtime/config';
import { VERSION } from '@offizin/runtime/version';
import { Offizin } from '../../clients/typescript/src/client';
import type { ApiAccess, NounAccess } from './api-access';
import { addBackupCommands } from './backup/backup';
import { addCatalogCommand } from './catalog';
import { addDoctorCommand } from './doctor/doctor';
import { type Installation, installationFrom, localInstallation } from './doctor/installation';
import { failureOf, reportFailure } from './failure';
import { addListenCommand, eventTypesOf } from './listen';
import { addApiNouns, addWebhookCreation } from './nouns/api-nouns';
import { clientOf } from './nouns/client-of-operator';
import { addOperatorNouns, organization } from './nouns/operator-nouns';
import { addStaffCommands } from './nouns/staff';
import { Output } from './output';
import { OperatorConfig, Platform, type PlatformAccess } from './platform';
import { dataFolder, operatorAccess, readRunningStack } from './running-stack';
import { addSecretsCommand } from './secrets';
import { addSetAsideCommands } from './set-aside';

/**
 * `npm run offizin -- …`: the operator's command line. It finds a stack that runs on this machine by its data folder;
 * any other installation by NATS_URL, NATS_USER, NATS_PASSWORD and CALL_KEYS, or by the address and a key of its API.
 */
const program = new Command('offizin')
  .description('Operates Offizin: organizations, shops, API keys, staff, webhooks, catalog.')
  .version(VERSION)
  .addOption(new Option('--data-dir <folder>', 'data folder of a local stack').env('OFFIZIN_DATA_DIR'))
  .option('--json', 'answer in JSON; a failure is one line of JSON on the standard error')
  .option(
    '--no-json',
    'answer in text, as by default in a terminal; elsewhere lists and records are JSON by default',
  )
  .configureHelp({ showGlobalOptions: true })
  // fail() reports failures of usage, too.
  .configureOutput({ outputError: () => undefined })
  .exitOverride()
  .addHelpText(
    'after',
    '\nExit codes: 0 done; 1 failed, or refused as a whole; 2 done in part, the output names them; 130 interrupted.' +
      '\nNO_COLOR=1 switches colours off.',
  );
const output = new Output(() => program.opts<{ json?: boolean }>().json);

const nouns = addApiNouns(program, withClient, output);
addOperatorNouns(program, nouns, { withPlatform, accessOf, output });
addStaffCommands(program, withPlatform);
addWebhookCreation(nouns.webhooks, withClient, { output, eventTypesOf });
addCatalogCommand(program, usePlatform, output);
addListenCommand(program, { accessOf, output, fail });
addDoctorCommand(program, folder, output);
addSetAsideCommands(program, installation, output);
addBackupCommands(program, folder, output);
addSecretsCommand(program);

/** From the environment when it names a database, else the local stack. */
function installation(): Installation {
  const named = installationFrom(process.env);
  return named.databases.length > 0 ? named : localInstallation(folder(), process.env);
}

function accessOf({ baseUrl, apiKey }: Partial<ApiAccess>): ApiAccess {
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey))
    throw new Error('--api-key or OFFIZIN_API_KEY is empty, or has blanks: name a key, or leave it out.');
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:/.test(baseUrl)))
    throw new Error('--base-url or OFFIZIN_BASE_URL takes an address such as https://api.example.org');
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

/** The client of the API key, or with `--org` the one of the operator. */
async function withClient(
  { org, ...given }: NounAccess,
  work: (client: Offizin) => Promise<void>,
): Promise<void> {
  if (org === undefined) return work(new Offizin(accessOf(given)));
  return usePlatform(async (platform) => {
    await organization(platform, org);
    await work(clientOf(platform, org));
  });
}

async function withPlatform(
  work: (platform: Platform) => Promise<object>,
  columns?: readonly string[],
): Promise<void> {
  await usePlatform(async (platform) => output.answer(await work(platform), columns));
}

async function usePlatform(work: (platform: Platform) => Promise<void>): Promise<void> {
  const platform = await Platform.connect(access());
  try {
    await work(platform);
  } finally {
    await platform.close();
  }
}

/** From the environment when it names a broker, else from the files of the local stack. */
function access(): PlatformAccess {
  if (process.env['NATS_URL']) return readConfig(OperatorConfig, process.env);
  return operatorAccess(readRunningStack(folder()));
}

function folder(): string {
  return dataFolder(program.opts<{ dataDir?: string }>().dataDir);
}

// A reader that has seen enough, such as head, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
program.parseAsync().catch(fail);

function fail(thrown: unknown): void {
  const isHelp =
    thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
  if (isHelp) process.exit(thrown.exitCode);
  reportFailure(failureOf(thrown), { json: output.isJsonAsked, ...askedCommand() });
  process.exit(1);
}

/** Help and options of the command that the arguments name, as far as there is one. */
function askedCommand(): { help: string; options: string[] } {
  let command: Command = program;
  const names = [process.env['npm_lifecycle_event'] === 'offizin' ? 'npm run offizin --' : 'offizin'];
  for (const word of process.argv.slice(2)) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) continue;
    names.push(next.name());
    command = next;
  }
  const options = command.options.flatMap(({ long }) => long ?? []);
  return { help: `${names.join(' ')} --help`, options };
}
