import type { Caller } from '@offizin/contracts/calls/caller';
import { type Answer, type Call, okPieces, type Pieces } from '@offizin/contracts/calls/operation';
import { FairShares } from '@offizin/runtime/fair-shares';
import { type CsvColumn, type CsvDialect, csvDialect, csvHead, csvHeaders, csvName, csvRows } from './csv';

/** Files that are written at the same time; each holds one page in memory, however slowly it is read. */
const FILES = { name: 'CSV files', slots: 64, perParty: 2, waitMs: 2_000, maxWaiting: 64 };
/** Statements of pages after the first at the same time: they wait rather than cut a file. */
const PAGES = { name: 'CSV file pages', slots: 2, perParty: 1, waitMs: 20_000, maxWaiting: 64 };

interface Page {
  /** Null after the last page. */
  next: string | null;
}

export interface CsvFile<Read extends Page, Row> {
  /** Before the day and the end of its name. */
  name: string;
  read: (cursor: string | null) => Promise<Read>;
  /** Of the entry in the audit log, made before the first byte. */
  action: string;
  objectOf: (first: Read) => string;
  columns: readonly CsvColumn<Row>[];
  rowsOf: (page: Read) => readonly Row[];
}

/**
 * A list as CSV, of any length. The walk follows the key of the list page by page, and reads the next page when the
 * reader has taken the last one. A failure on the way ends the transfer without its end, so that no file looks whole.
 */
export class CsvFiles {
  private readonly files = new FairShares(FILES);
  private readonly pages = new FairShares(PAGES);

  constructor(
    private readonly audit: { append: (caller: Caller, action: string, object: string) => Promise<void> },
  ) {}

  /**
   * Resolves with the first page read. The file, with its audit entry, begins when its first piece is asked for.
   * `serveOperation` asks for it before the head of the answer, and never for a HEAD.
   */
  async answer<Read extends Page, Row>(
    { caller, headers }: Pick<Call<unknown>, 'caller' | 'headers'>,
    file: CsvFile<Read, Row>,
  ): Promise<Answer<never>> {
    const dialect = csvDialect(headers.accept, caller.kind);
    const pieces = await begun(this.pieces(caller, dialect, file));
    return okPieces(pieces, csvHeaders(dialect, csvName(file.name, Date.now())));
  }

  private async *pieces<Read extends Page, Row>(
    caller: Caller,
    dialect: CsvDialect,
    { action, objectOf, read, columns, rowsOf }: CsvFile<Read, Row>,
  ): AsyncGenerator<string, undefined> {
    const { orgId } = caller;
    const rows = (page: Read) => csvRows(columns, rowsOf(page), dialect);
    const release = await this.files.acquire(orgId);
    try {
      // In the database time that the call has.
      let page = await read(null);
      yield READY;
      await this.audit.append(caller, action, objectOf(page));
      yield csvHead(columns, dialect) + rows(page);
      while (page.next !== null) {
        const { next } = page;
        page = await this.pages.run(orgId, () => read(next));
        yield rows(page);
      }
    } finally {
      release();
    }
  }
}

const READY = '';

/**
 * The pieces of a generator that has run to its first yield, which is not a piece. `return` skips the `finally` of a
 * generator that has not begun; here it always runs.
 */
export async function begun(generator: AsyncGenerator<string, undefined>): Promise<Pieces> {
  await generator.next();
  return {
    next: () => generator.next(),
    return: () => generator.return(undefined),
  };
}
