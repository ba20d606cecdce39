import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Output } from '../output';
import { readRunningStack } from '../running-stack';
import { backUp } from './backup';
import { addToLedger, readErasures } from './erasure-ledger';
import { restore, type RestoreOptions } from './restore';

/** `folder`: the data folder of the local stack. */
export function addBackupCommands(program: Command, folder: () => string, output: Output): void {
  program
    .command('backup')
    .description('copy the running local stack into a new folder; the copy holds its secrets')
    .argument('<folder>')
    .action(async (target: string) => {
      const { dataDir, demo } = readRunningStack(folder());
      output.answer(await backUp({ dataDir, adminDatabaseUrl: demo.database_url }, resolve(target)));
    });

  program
    .command('restore')
    .description('put a backup into the data folder of a stack that does not run; then npm start')
    .option('--replace', 'lose the database that is there', false)
    .option('--erasures <file>', 'ledger of erasures that is newer than the backup')
    .option('--without-erasures', 'restore although customers erased after the backup come back', false)
    .argument('<folder>')
    .action(async (source: string, { erasures: file, ...options }: RestoreOptions) => {
      const ledger = file === undefined ? undefined : resolve(file);
      const erasures = await restore(resolve(source), folder(), { ...options, erasures: ledger });
      const text = `Restored into ${folder()}; ${erasures} erasures will be applied. Start it with npm start.`;
      output.sentence(text, { folder: folder(), erasures });
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
      output.answer({ file: resolve(file), erasures });
    });
}
