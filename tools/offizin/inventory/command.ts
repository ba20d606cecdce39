import type { Command } from 'commander';
import { Offizin } from '../../../clients/typescript/src/client';
import { type ApiAccess, apiKeyOption, baseUrlOption } from '../api-access';
import { encodingOption, type ImportOptions, sayRefused, SKIP_BAD, withBar } from '../tables/import-command';
import { importInventoryFile } from './import-inventory';

type AccessOptions = ImportOptions & Partial<ApiAccess>;

export function addInventoryCommand(
  program: Command,
  accessOf: (given: Partial<ApiAccess>) => ApiAccess,
): void {
  program
    .command('import-inventory')
    .description('book counts and movements of stock from a CSV or JSON Lines file')
    .addOption(baseUrlOption())
    .addOption(apiKeyOption('inventory.write'))
    .addOption(encodingOption())
    .option(...SKIP_BAD)
    .argument('<file>')
    .action(async (file: string, options: AccessOptions) => {
      const offizin = new Offizin(accessOf(options));
      const { refused, isTaken, ...counts } = await withBar('lines', (onProgress) =>
        importInventoryFile(offizin, file, options, onProgress),
      );
      sayRefused(refused, isTaken);
      if (counts.repeated > 0)
        console.error(
          `${counts.repeated} lines were in an import of the same file within the last 24 hours: they count once.`,
        );
      if (isTaken && refused.length > 0)
        console.error('The others are booked. Import corrected lines as a file of their own.');
      console.log(JSON.stringify({ ...counts, refused: refused.length }, null, 2));
    });
}
