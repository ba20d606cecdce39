import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { hasErrorCode } from '@offizin/local-stack/error-code';
import { importCatalog, MAX_IMPORT_LINES } from '@offizin/contracts/catalog-import';
import type { Platform } from './platform';

/** A line that was not taken, by its number in the file (the first line is 1). */
export interface RefusedFileLine {
  line: number;
  p1_id: string | null;
  reason: string;
}

export interface ImportReport {
  imported: number;
  updated: number;
  unchanged: number;
  refused: RefusedFileLine[];
}

/** Kept well below the broker's limit of 1 MiB for a message. */
const MAX_BATCH_BYTES = 512 * 1024;

interface FileLine {
  line: number;
  /** Bytes of the file read so far. */
  readBytes: number;
  value: unknown;
  /** Why the line could not even be read. */
  unreadable?: string;
}

/**
 * Imports a catalog file: CSV with a header line (`.csv`), else JSON Lines. Idempotent by `p1_id`, so that an import
 * that was interrupted is simply run again. A bad line is reported and does not stop the others.
 */
export async function importCatalogFile(
  platform: Platform,
  file: string,
  onProgress: (readBytes: number, totalBytes: number) => void,
): Promise<ImportReport> {
  const totalBytes = await sizeOfFile(file);
  const report: ImportReport = { imported: 0, updated: 0, unchanged: 0, refused: [] };
  let batch: FileLine[] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const reply = await platform.call(importCatalog, { lines: batch.map(({ value }) => value) });
    report.imported += reply.imported;
    report.updated += reply.updated;
    report.unchanged += reply.unchanged;
    for (const { index, p1_id, reason } of reply.refused) {
      report.refused.push({ line: batch[index]?.line ?? 0, p1_id, reason });
    }
    onProgress(batch.at(-1)?.readBytes ?? 0, totalBytes);
    batch = [];
    batchBytes = 0;
  };
  for await (const line of file.endsWith('.csv') ? csvLines(file) : jsonLines(file)) {
    if (line.unreadable !== undefined) {
      report.refused.push({ line: line.line, p1_id: null, reason: line.unreadable });
      continue;
    }
    const bytes = Buffer.byteLength(JSON.stringify(line.value));
    if (batch.length === MAX_IMPORT_LINES || batchBytes + bytes > MAX_BATCH_BYTES) await flush();
    batch.push(line);
    batchBytes += bytes;
  }
  await flush();
  onProgress(totalBytes, totalBytes);
  report.refused.sort((a, b) => a.line - b.line);
  return report;
}

/** Throws one line for a person when there is nothing to read. */
export async function sizeOfFile(file: string): Promise<number> {
  try {
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (found.isFile()) return found.size;
  } catch (error) {
    throw new Error(
      `The file ${file} ${hasErrorCode(error, 'ENOENT') ? 'does not exist' : 'cannot be read'}.`,
    );
  }
  throw new Error(`${file} is not a file.`);
}

async function* jsonLines(file: string): AsyncGenerator<FileLine> {
  let line = 0;
  let readBytes = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1;
    readBytes += Buffer.byteLength(text) + 1;
    if (text.trim() === '') continue;
    try {
      yield { line, readBytes, value: JSON.parse(text) as unknown };
    } catch {
      yield { line, readBytes, value: null, unreadable: 'is not JSON' };
    }
  }
}

const NUMBERS = new Set(['price', 'thc', 'cbd']);
const FLAGS = new Set(['available']);

async function* csvLines(file: string): AsyncGenerator<FileLine> {
  const parser = createReadStream(file).pipe(parse({ columns: true, info: true, bom: true, trim: true }));
  for await (const entry of parser) {
    const { record, info } = entry as {
      record: Record<string, string>;
      info: { lines: number; bytes: number };
    };
    yield { line: info.lines, readBytes: info.bytes, value: typed(record) };
  }
}

/** CSV knows text only: an empty field is one left out, the numbers and flags are read as such, the rest is text. */
function typed(record: Record<string, string>): Record<string, unknown> {
  const entries = Object.entries(record).filter(([, text]) => text !== '');
  return Object.fromEntries(
    entries.map(([column, text]): [string, unknown] => {
      if (NUMBERS.has(column) && /^\d+([.]\d+)?$/.test(text)) return [column, Number(text)];
      if (FLAGS.has(column) && (text === 'true' || text === 'false')) return [column, text === 'true'];
      return [column, text];
    }),
  );
}
