import type { Command } from 'commander';
import type { Output } from '../output';
import type { Platform, UsePlatform } from '../platform';
import { answerImport, encodingOption, SKIP_BAD, withBar } from '../tables/import-command';
import { type CatalogImportOptions, importCatalogFile } from './import-catalog';

export function addCatalogCommand(program: Command, usePlatform: UsePlatform, output: Output): void {
  program
    .command('import-catalog')
    .description("load the platform's catalog from a CSV or JSON Lines file; may be run again")
    .addOption(encodingOption())
    .option(...SKIP_BAD)
    .option('--dry-run', 'check the file and say what would change; write nothing', false)
    .argument('<file>')
    .action((file: string, options: CatalogImportOptions) =>
      usePlatform((platform) => importAndReport(platform, { file, options, output })),
    );
}

async function importAndReport(
  platform: Platform,
  { file, options, output }: { file: string; options: CatalogImportOptions; output: Output },
): Promise<void> {
  const { refused, isTaken, ...counts } = await withBar('products', (onProgress) =>
    importCatalogFile(platform, file, options, onProgress),
  );
  const shown = { ...(options.dryRun && { dry_run: true }), ...counts };
  answerImport(output, shown, { refused, isTaken, of: 'product' });
}
