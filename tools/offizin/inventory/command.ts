import type { Command } from 'commander';
import { Offizin } from '../../../clients/typescript/src/client';
import { type ApiAccess, apiKeyOption, baseUrlOption } from '../api-access';
import type { Output } from '../output';
import {
  answerImport,
  encodingOption,
  type ImportOptions,
  SKIP_BAD,
  withBar,
} from '../tables/import-command';
import { importInventoryFile } from './import-inventory';

type AccessOptions = ImportOptions & Partial<ApiAccess>;

export function addInventoryCommand(
  program: Command,
  accessOf: (given: Partial<ApiAccess>) => ApiAccess,
  output: Output,
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
      const notes = [
        ...(counts.repeated > 0 ? [repeatedInWords(counts.repeated)] : []),
        ...(isTaken && refused.length > 0 ? [OTHERS_BOOKED] : []),
      ];
      answerImport(output, counts, { refused, isTaken, of: 'product' }, notes);
    });
}

const OTHERS_BOOKED = 'The others are booked. Import corrected lines as a file of their own.';

function repeatedInWords(count: number): string {
  return `${count} lines were in an import of the same file within the last 24 hours: they count once.`;
}
