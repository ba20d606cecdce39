import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
 * Replaces the whole folder, which admits its owner only, and keeps the former one as `<folder>.before`. When it is
 * interrupted, the former one is still there, or `completeSecrets` puts the new one there.
 */
export function writeSecrets(folder: string, secrets: SecretsByName): void {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  for (const [name, value] of Object.entries(secrets))
    writeFileSync(join(draft, name), value, { mode: 0o400, flush: true });
  rmSync(`${folder}.before`, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, `${folder}.before`);
  renameSync(draft, folder);
}

/** After a `writeSecrets` that ended between its two renamings: the draft was complete by then. */
export function completeSecrets(folder: string): void {
  const draft = `${folder}.new`;
  if (existsSync(`${folder}.before`) && existsSync(draft) && !existsSync(folder)) renameSync(draft, folder);
}

/** Answers a sentence about the next work. Throws for a step out of order. */
export function rotateIn(folder: string, { secret, step }: SecretRotation): string {
  const { changed, then } = rotations[secret];
  const present = readSecrets(folder);
  writeSecrets(folder, { ...present, ...changed(present, step) });
  return `${step}: done in ${folder}. ${then[step]}`;
}

/** Back to the secrets before the last `writeSecrets`. A second time undoes the first. */
export function undoIn(folder: string): string {
  const before = readSecrets(`${folder}.before`);
  if (Object.keys(before).length === 0) throw new Error('No former secrets are there.');
  writeSecrets(folder, before);
  return 'The secrets before the last change are back. Roll out all that use them.';
}
