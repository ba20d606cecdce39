import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { Command, Option } from 'commander';
import {
  createApiKeyFor,
  type CreateApiKeyForBody,
  createOrganization,
  createShop,
} from '@offizin/contracts/directory';
import { ALL_SCOPES, isScope } from '@offizin/contracts/scopes';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { importCatalogFile, type ImportReport } from './catalog-file';
import { Platform, type PlatformAccess } from './platform';

/**
 * `npm run offizin -- …`: the operator's command line. It finds a stack that runs on this machine by its data folder;
 * any other installation by NATS_URL, NATS_USER, NATS_PASSWORD and INTERNAL_TOKEN_SECRET.
 */
const program = new Command('offizin')
  .description('Operates a running Offizin: organizations, shops, API keys, catalog.')
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
  .option('--scopes <list>', 'scopes with commas between, or all (kind org)', 'all')
  .option('--shop <id>', 'the one shop it is bound to (kind int)')
  .option('--expires <time>', 'ISO 8601')
  .argument('<name>', 'what it is for')
  .action((name: string, options: KeyOptions) =>
    withPlatform((platform) => platform.call(createApiKeyFor, { name, ...keyBody(options) })),
  );

program
  .command('import-catalog')
  .description("load the platform's catalog from a CSV or JSON Lines file; may be run again")
  .argument('<file>')
  .action((file: string) => withPlatform((platform) => importWithProgress(platform, file)));

interface KeyOptions {
  org: string;
  kind: 'org' | 'int';
  scopes: string;
  shop?: string;
  expires?: string;
}

function keyBody({ org, kind, scopes, shop, expires }: KeyOptions): Omit<CreateApiKeyForBody, 'name'> {
  const wanted = scopes === 'all' ? ALL_SCOPES : scopes.split(',');
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0)
    throw new Error(`There is no scope ${unknown.join(', ')}. Scopes: ${ALL_SCOPES.join(', ')}`);
  const granted = kind === 'org' ? wanted.filter(isScope) : undefined;
  return { org_id: org, kind, scopes: granted, shop_id: shop, expires_at: expires };
}

async function importWithProgress(platform: Platform, file: string): Promise<Omit<ImportReport, 'refused'>> {
  const bar = new SingleBar(
    { format: '{bar} {percentage}% of the file', stream: process.stderr },
    Presets.shades_classic,
  );
  bar.start(1, 0);
  const report = await importCatalogFile(platform, file, (readBytes, totalBytes) => {
    bar.setTotal(totalBytes);
    bar.update(readBytes);
  }).finally(() => bar.stop());
  const { refused, ...counts } = report;
  for (const { line, p1_id, reason } of refused)
    console.error(`line ${line} (${p1_id ?? 'no p1_id'}): ${reason}`);
  if (refused.length > 0) {
    console.error(`${refused.length} lines were refused.`);
    process.exitCode = 2;
  }
  return counts;
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
  const { NATS_URL, NATS_USER = '', NATS_PASSWORD = '', INTERNAL_TOKEN_SECRET } = process.env;
  if (NATS_URL) {
    if (!INTERNAL_TOKEN_SECRET) throw new Error('NATS_URL is set, INTERNAL_TOKEN_SECRET is not.');
    return {
      natsUrl: NATS_URL,
      natsUser: NATS_USER,
      natsPassword: NATS_PASSWORD,
      internalTokenSecret: INTERNAL_TOKEN_SECRET,
    };
  }
  const { dataDir } = program.opts<{ dataDir?: string }>();
  const folder = resolve(dataDir ?? join(checkoutRoot, '.data'));
  try {
    const url = new URL(
      (JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as { nats_url: string }).nats_url,
    );
    const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as {
      internalTokenSecret: string;
    };
    return {
      natsUrl: `nats://${url.host}`,
      natsUser: decodeURIComponent(url.username),
      natsPassword: decodeURIComponent(url.password),
      internalTokenSecret: secrets.internalTokenSecret,
    };
  } catch {
    throw new Error(`No stack runs on the data folder ${folder}. Start one with npm start, or set NATS_URL.`);
  }
}

program.parseAsync().catch((error: unknown) => {
  console.error(`offizin: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
