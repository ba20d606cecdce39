import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  kubernetesSecretManifests,
  kubernetesSecrets,
  newSecrets,
  ownDatabase,
  secretsIn,
} from '../deploy/installation-secrets';
import { rotations } from '../deploy/secret-rotation';
import { addRotateCommand, type SecretRotation } from '../deploy/secrets-folder';

interface Options {
  kubernetes?: true;
  namespace: string;
  database: string;
}

/** It only prints: `kubectl create` refuses to replace Secrets that are there. */
export function addSecretsCommand(program: Command): void {
  const secrets = program
    .command('secrets')
    .description(
      'print new secrets of an installation: keep a copy, without MASTER_KEY its documents are lost',
    )
    .option('--kubernetes', 'as Secrets, one for each app, server and the operator')
    .option('--namespace <name>', 'their namespace', 'offizin')
    .option('--database <place>', 'where PostgreSQL is: host:port/name?options', ownDatabase)
    .action(({ kubernetes, namespace, database }: Options) => {
      if (!kubernetes) throw new Error('Name the form of the secrets: --kubernetes.');
      console.log(kubernetesSecretManifests(newSecrets(database), namespace));
    });
  addRotateCommand(secrets, (rotation) => {
    const { manifests, then } = rotatedManifests(readFileSync(0, 'utf8'), rotation);
    console.log(manifests);
    console.error(then);
  });
}

/** From the present Secrets the changed ones, and what follows once they are applied. */
export function rotatedManifests(
  present: string,
  { secret, step }: SecretRotation,
): { manifests: string; then: string } {
  const { secrets, namespace, found } = secretsIn(present);
  const { changed, then } = rotations[secret];
  const next = changed(secrets, step);
  const holds = (name: string) =>
    Object.values(kubernetesSecrets[name] ?? {}).some((one) => Object.hasOwn(next, one));
  const manifests = kubernetesSecretManifests({ ...secrets, ...next }, namespace, found.filter(holds));
  return { manifests, then: `Apply them. ${then[step]}` };
}
