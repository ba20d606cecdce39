import type { Command } from 'commander';
import type { Platform } from '../platform';
import { encodingOption, sayRefused, SKIP_BAD, withBar } from '../tables/import-command';
import { type CatalogImportOptions, importCatalogFile } from './import-catalog';

type WithPlatform = (work: (platform: Platform) => Promise<object>) => Promise<void>;

export function addCatalogCommand(program: Command, withPlatform: WithPlatform): void {
  program
    .command('import-catalog')
    .description("load the platform's catalog from a CSV or JSON Lines file; may be run again")
    .addOption(encodingOption())
    .option(...SKIP_BAD)
    .option('--dry-run', 'check the file and say what would change; write nothing', false)
    .argument('<file>')
    .action((file: string, options: CatalogImportOptions) =>
      withPlatform((platform) => importAndReport(platform, file, options)),
    );
}

async function importAndReport(
  platform: Platform,
  file: string,
  options: CatalogImportOptions,
): Promise<object> {
  const { refused, isTaken, ...counts } = await withBar('products', (onProgress) =>
    importCatalogFile(platform, file, options, onProgress),
  );
  sayRefused(refused, isTaken);
  return { ...(options.dryRun && { dry_run: true }), ...counts, refused: refused.length };
}
