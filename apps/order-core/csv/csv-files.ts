import type { Pieces } from '@offizin/contracts/calls/operation';
import { FairShares } from '@offizin/runtime/fair-shares';

/** Files that are written at the same time; each holds one page in memory, however slowly it is read. */
const FILES = { name: 'CSV files', slots: 64, perParty: 2, waitMs: 2_000, maxWaiting: 64 };
/** Statements of pages after the first at the same time: they wait rather than cut a file. */
const PAGES = { name: 'CSV file pages', slots: 2, perParty: 1, waitMs: 20_000, maxWaiting: 64 };

interface Page {
  /** Null after the last page. */
  next: string | null;
}

export interface CsvFile<Read extends Page> {
  read: (cursor: string | null) => Promise<Read>;
  /** The head, once the file is in the audit log. */
  begin: (first: Read) => Promise<string>;
  rows: (page: Read) => string;
}

/**
 * A list as CSV, of any length. The walk follows the key of the list page by page, and reads the next page when the reader
 * has taken the last one. A failure on the way ends the transfer without its end, so that no file looks whole.
 */
export class CsvFiles {
  private readonly files = new FairShares(FILES);
  private readonly pages = new FairShares(PAGES);

  /**
   * Resolves with the first page read. The file, with its audit entry, begins when its first piece is asked for.
   * `serveOperation` asks for it before the head of the answer, and never for a HEAD.
   */
  async write<Read extends Page>(orgId: string, file: CsvFile<Read>): Promise<Pieces> {
    return begun(this.pieces(orgId, file));
  }

  private async *pieces<Read extends Page>(
    orgId: string,
    { read, begin, rows }: CsvFile<Read>,
  ): AsyncGenerator<string, undefined> {
    const release = await this.files.acquire(orgId);
    try {
      // In the database time that the call has.
      let page = await read(null);
      yield READY;
      yield (await begin(page)) + rows(page);
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
 * The pieces of a generator that has run to its first yield, which is no piece. `return` skips the `finally` of a
 * generator that has not begun; here it always runs.
 */
export async function begun(generator: AsyncGenerator<string, undefined>): Promise<Pieces> {
  await generator.next();
  return {
    next: () => generator.next(),
    return: () => generator.return(undefined),
  };
}
