import { type Command, Option } from 'commander';
import {
  CatalogLine,
  type CodeCollision,
  importCatalog,
  MAX_IMPORT_LINES,
} from '@offizin/contracts/products/catalog-import';
import { note, type Output } from './output';
import type { Platform, UsePlatform } from './platform';
import { answerImport, batchesOf, inBatches, type OnProgress, withBar } from './tables/import-command';
import {
  type AcceptedLine,
  checkTable,
  type Encoding,
  ENCODINGS,
  readText,
  type RefusedLine,
} from './tables/table-file';

export function addCatalogCommand(program: Command, usePlatform: UsePlatform, output: Output): void {
  program
    .command('import-catalog')
    .description(
      "load the platform's catalog from a CSV or JSON Lines file; an empty cell keeps what is stored",
    )
    .addOption(new Option('--encoding <name>', 'of the file; found unless given').choices(ENCODINGS))
    .option('--skip-bad', 'import the good lines of a file that has bad ones', false)
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
  const { refused, isTaken, collisions, ...counts } = await withBar((onProgress) =>
    importCatalogFile(platform, file, options, onProgress),
  );
  if (!output.isJsonAsked) for (const collision of collisions) note(inWords(collision));
  const shown = {
    ...(options.dryRun && { dry_run: true }),
    ...counts,
    collisions: shownOf(collisions, output),
  };
  answerImport(output, shown, { refused, isTaken });
}

function shownOf(collisions: readonly CodeCollision[], { isJsonAsked }: Output): unknown {
  return isJsonAsked ? collisions : collisions.length;
}

function inWords({
  org_id: orgId,
  p1_id: p1Id,
  code,
  taken_by: by,
  taken_by_name: name,
}: CodeCollision): string {
  return `${p1Id}: in organization ${orgId} the code ${code} stays with ${by} (${name})`;
}

interface CatalogImportOptions {
  /** Found unless given. */
  encoding?: Encoding;
  /** Imports the good lines of a file that has bad ones. */
  skipBad?: boolean;
  /** Says what the import would do, and writes nothing. */
  dryRun?: boolean;
}

interface CatalogImportReport {
  encoding: Encoding;
  imported: number;
  updated: number;
  unchanged: number;
  refused: RefusedLine[];
  /** Codes that another product of an organization has, and keeps. */
  collisions: CodeCollision[];
  /** False when a bad line has kept the whole file out. */
  isTaken: boolean;
}

/**
 * Checks the whole file, then imports it: all of it, or with `skipBad` its good lines. CSV (`.csv`) or JSON Lines.
 * Idempotent by `p1_id`: an import that was interrupted is run again.
 */
export async function importCatalogFile(
  platform: Platform,
  file: string,
  options: CatalogImportOptions = {},
  onProgress: OnProgress = () => undefined,
): Promise<CatalogImportReport> {
  const { text, encoding } = await readText(file, options.encoding);
  const { accepted, refused } = checkTable(file, text, { dto: CatalogLine, keyColumn: 'p1_id' });
  const collisions: CodeCollision[] = [];
  const report = { encoding, imported: 0, updated: 0, unchanged: 0, refused, collisions, isTaken: false };
  if (refused.length > 0 && !options.skipBad) return report;
  const write = async (batch: readonly AcceptedLine<CatalogLine>[]): Promise<void> => {
    const body = { lines: batch.map(({ value }) => value), ...(options.dryRun && { dry_run: true }) };
    const reply = await platform.call(importCatalog, body);
    report.imported += reply.imported;
    report.updated += reply.updated;
    report.unchanged += reply.unchanged;
    collisions.push(...reply.collisions);
    for (const { index, p1_id, reason } of reply.refused)
      refused.push({ line: batch[index]?.line ?? 0, key: p1_id, reason });
  };
  const batches = batchesOf(accepted, MAX_IMPORT_LINES);
  await inBatches(batches, accepted.length, write, { onProgress, written: report });
  return { ...report, isTaken: true };
}
