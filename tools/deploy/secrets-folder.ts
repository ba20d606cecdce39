import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { ROTATION_STEPS, type RotationStep } from '@offizin/local-stack/secrets';
import { type Rotatable, rotations } from './secret-rotation';

/** Secrets of an installation, a file for each: deploy/secrets of a checkout, or a folder in a volume of Compose. */
export type SecretsByName = Record<string, string>;

export interface SecretRotation {
  secret: Rotatable;
  step: RotationStep;
}

export function addRotateCommand(program: Command, rotate: (rotation: SecretRotation) => void): void {
  program
    .command('rotate')
    .description('One step of changing a secret while all apps work; prints what follows.')
    .addArgument(new Argument('<secret>', 'what to change').choices(Object.keys(rotations)))
    .addArgument(
      new Argument(
        '<step>',
        'add: the new one is accepted; switch: it is used; drop: the old one is refused',
      ).choices(ROTATION_STEPS),
    )
    .action((secret: Rotatable, step: RotationStep) => rotate({ secret, step }));
}

/** Empty when the folder does not exist. */
export function readSecrets(folder: string): SecretsByName {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

/**
 * Writes the whole folder, or nothing when it is interrupted. Throws when it exists.
 *
 * It admits its owner only. Its files can be read by all, because containers with other users mount them.
 */
export function writeSecrets(folder: string, secrets: SecretsByName): void {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(draft, name), value);
    chmodSync(join(draft, name), 0o444);
  }
  renameSync(draft, folder);
}

/** The same file with other content: containers that run have mounted this one. */
export function rewrite(folder: string, name: string, value: string): void {
  const file = join(folder, name);
  chmodSync(file, 0o644);
  writeFileSync(file, value);
  chmodSync(file, 0o444);
}

/** Rewrites the files of the step; answers a sentence about the next work. Throws for a step out of order. */
export function rotateIn(folder: string, { secret, step }: SecretRotation): string {
  const { changed, then } = rotations[secret];
  for (const [name, value] of Object.entries(changed(readSecrets(folder), step)))
    rewrite(folder, name, value);
  return `${step}: done in ${folder}. ${then[step]}`;
}
