import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { ROTATION_STEPS, type RotationStep } from '@offizin/local-stack/secrets';
import {
  kubernetesSecretManifests,
  movedDatabaseUrls,
  newSecrets,
  ownDatabase,
} from './installation-secrets';
import { type Rotatable, rotations } from './secret-rotation';

/**
 * `node tools/bootstrap.mjs deploy`: writes new secrets of an installation, one per file, into deploy/secrets, for
 * docker-compose.yml. Never over existing ones: data that was written under them could not be read any more.
 * `… deploy --database host:5432/offizin` over existing secrets changes the address in the database URLs, and no
 * password. `… deploy --kubernetes` writes the same ones as manifests to standard output, for `kubectl apply -f -`. `…
 * deploy rotate <secret> <step>` does one step of changing a secret while all apps work.
 */
const program = new Command('deploy')
  .description('Makes the secrets of an installation, once.')
  .option('--kubernetes', 'write them as Kubernetes Secrets to standard output')
  .option('--namespace <name>', 'namespace of the Kubernetes Secrets', 'offizin')
  .addOption(
    new Option(
      '--database <place>',
      `the part behind the @ of the database URLs: host:port/name?options (default: ${ownDatabase})`,
    ),
  )
  .action((options: Options) => orExplain(() => run(options)));

program
  .command('rotate')
  .description('One step of changing a secret while all apps work; says what follows.')
  .addArgument(new Argument('<secret>', 'what to change').choices(Object.keys(rotations)))
  .addArgument(
    new Argument('<step>', 'the new one is accepted, is used, and is the only one').choices(ROTATION_STEPS),
  )
  .action((secret: Rotatable, step: RotationStep) => orExplain(() => rotate(secret, step)));

const folder = join(checkoutRoot, 'deploy', 'secrets');

interface Options {
  kubernetes?: boolean;
  namespace: string;
  database?: string;
}

/** A step out of order or a missing file is the operator's to correct: a sentence, no stack. */
function orExplain(work: () => void): void {
  try {
    work();
  } catch (error) {
    program.error(error instanceof Error ? error.message : String(error));
  }
}

function run(options: Options): void {
  const { database } = options;
  if (!existsSync(folder)) writeSecrets(newSecrets(database));
  else if (database === undefined) console.error(`${folder} is there already; it is left as it is.`);
  else moveDatabase(database);
  if (options.kubernetes) console.log(kubernetesSecretManifests(readSecrets(), options.namespace));
}

/**
 * The folder admits its owner only. Its files can be read by all, because Compose mounts them with the rights that
 * they have here, and the users of the containers are others.
 */
function writeSecrets(secrets: Record<string, string>): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), value);
    chmodSync(join(folder, name), 0o444);
  }
  console.error(`written: ${folder}. Keep a copy: without MASTER_KEY the stored documents cannot be read.`);
}

/** The database has another address now; its roles keep their passwords. */
function moveDatabase(database: string): void {
  for (const [name, url] of Object.entries(movedDatabaseUrls(readSecrets(), database))) rewrite(name, url);
  console.error(`The database URLs in ${folder} name ${database} now; all else is left as it is.`);
}

function rotate(secret: Rotatable, step: RotationStep): void {
  const { changed, then } = rotations[secret];
  for (const [name, value] of Object.entries(changed(readSecrets(), step))) rewrite(name, value);
  console.error(`${step}: done in ${folder}. ${then[step]}`);
}

/** The same file with other content: containers that run have mounted this one. */
function rewrite(name: string, value: string): void {
  const file = join(folder, name);
  chmodSync(file, 0o644);
  writeFileSync(file, value);
  chmodSync(file, 0o444);
}

function readSecrets(): Record<string, string> {
  if (!existsSync(folder))
    throw new Error(`${folder} is missing. Run "node tools/bootstrap.mjs deploy" first.`);
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

program.parse();
