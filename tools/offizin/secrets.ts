import type { Command } from 'commander';
import { kubernetesSecretManifests, newSecrets, ownDatabase } from '../deploy/installation-secrets';

interface Options {
  namespace: string;
  database: string;
}

/** It only prints: `kubectl create` refuses to replace Secrets that are there. */
export function addSecretsCommand(program: Command): void {
  program
    .command('secrets')
    .description(
      'print new secrets of an installation: keep a copy, without MASTER_KEY its documents are lost',
    )
    .requiredOption('--kubernetes', 'as Secrets, one for each app, server and the operator')
    .option('--namespace <name>', 'their namespace', 'offizin')
    .option('--database <place>', 'where PostgreSQL is: host:port/name?options', ownDatabase)
    .action(({ namespace, database }: Options) => {
      console.log(kubernetesSecretManifests(newSecrets(database), namespace));
    });
}
