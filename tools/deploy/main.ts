import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { releasedCompose } from './compose-file';
import {
  kubernetesSecretManifests,
  movedDatabaseUrls,
  newSecrets,
  ownDatabase,
} from './installation-secrets';
import {
  addRotateCommand,
  completeSecrets,
  readSecrets,
  rotateIn,
  type SecretsByName,
  writeSecrets,
} from './secrets-folder';

/**
 * `node tools/bootstrap.mjs deploy`: writes new secrets of an installation, one per file, into deploy/secrets (Compose
 * makes its own, tools/deploy/init.ts). Never over existing ones: data that was written under them could not be read any more.
 * `… deploy --database host:5432/offizin` over existing secrets changes the address in the database URLs, and no
 * password. `… deploy --kubernetes` writes the same ones as manifests to standard output, for `kubectl apply -f -`. `…
 * deploy rotate <secret> <step>` does one step of changing a secret while all apps work. `… deploy --compose <image>`
 * sets the image of docker-compose.yml.
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
  .addOption(
    new Option(
      '--compose <image>',
      'write docker-compose.yml of a release that runs this image to standard output, and nothing else',
    ).conflicts(['kubernetes', 'database']),
  )
  .action((options: Options) => orExplain(() => run(options)));
addRotateCommand(program, (rotation) =>
  orExplain(() => {
    presentSecrets();
    console.error(rotateIn(folder, rotation));
  }),
);

const folder = join(checkoutRoot, 'deploy', 'secrets');

interface Options {
  kubernetes?: boolean;
  namespace: string;
  database?: string;
  compose?: string;
}

/** A step out of order or a missing file is the operator's to correct: a sentence, no stack. */
function orExplain(work: () => void): void {
  try {
    completeSecrets(folder);
    work();
  } catch (error) {
    program.error(error instanceof Error ? error.message : String(error));
  }
}

function run({ database, compose, kubernetes, namespace }: Options): void {
  if (compose !== undefined) {
    const text = readFileSync(join(checkoutRoot, 'docker-compose.yml'), 'utf8');
    process.stdout.write(releasedCompose(text, compose));
    return;
  }
  if (!existsSync(folder)) {
    writeSecrets(folder, newSecrets(database));
    console.error(`written: ${folder}. Keep a copy: without MASTER_KEY the stored documents cannot be read.`);
  } else if (database === undefined) console.error(`${folder} is there already; it is left as it is.`);
  else moveDatabase(database);
  if (kubernetes) console.log(kubernetesSecretManifests(presentSecrets(), namespace));
}

/** The database has another address now; its roles keep their passwords. */
function moveDatabase(database: string): void {
  const present = presentSecrets();
  writeSecrets(folder, { ...present, ...movedDatabaseUrls(present, database) });
  console.error(`The database URLs in ${folder} name ${database} now; all else is left as it is.`);
}

function presentSecrets(): SecretsByName {
  if (!existsSync(folder))
    throw new Error(
      `${folder} is missing: "deploy rotate" changes the secrets that "deploy" wrote there. Those in a cluster: "operator secrets rotate".`,
    );
  return readSecrets(folder);
}

program.parse();
