import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type CatalogImportResponse,
  CatalogLine,
  importCatalog,
  type RefusedLine,
} from '@offizin/contracts/products/catalog-import';
import {
  type CatalogListResponse,
  type CatalogProduct,
  getCatalogProduct,
  listCatalogProducts,
} from '@offizin/contracts/products/catalog-products';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import { Database, type Sql } from '@offizin/pg/database';
import { validate } from '@offizin/operations/validate';
import { writeCodesEverywhere } from '../db/product-codes';
import { requireProductId } from '../db/product-id';
import { completeLine, type StoredLine } from './catalog-line';
import { catalogListJson, catalogProductJson, upsertCatalogLines } from './catalog-products.store';

@Controller()
export class CatalogProductsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(listCatalogProducts)
  async list({ query }: Call<typeof listCatalogProducts>): Promise<Answer<CatalogListResponse>> {
    return okJson(await catalogListJson(this.database, query));
  }

  @Handles(getCatalogProduct)
  async get({ params }: Call<typeof getCatalogProduct>): Promise<Answer<CatalogProduct>> {
    const json = await catalogProductJson(this.database, requireProductId(params.p1Id));
    if (json === null) throw notFound('product');
    return okJson(json);
  }

  @Handles(importCatalog)
  async import({ body }: Call<typeof importCatalog>): Promise<Answer<CatalogImportResponse>> {
    const accepted = new Map<string, StoredLine>();
    const refused: RefusedLine[] = [];
    for (const [index, raw] of body.lines.entries()) {
      const line = readLine(raw);
      if (typeof line === 'string') refused.push({ index, p1_id: idOf(raw), reason: line });
      else if (accepted.has(line.p1_id)) {
        const reason = 'p1_id occurs earlier in this batch';
        refused.push({ index, p1_id: line.p1_id, reason });
      } else accepted.set(line.p1_id, line);
    }
    const lines = [...accepted.values()];
    const imported = body.dry_run ? await this.tryImport(lines) : await this.importLines(lines);
    return ok({ ...imported, refused });
  }

  private async importLines(lines: readonly StoredLine[]): Promise<Imported> {
    return this.database.transaction((tx) => writeLines(tx, lines));
  }

  /** Writes the lines and rolls that back: so it answers the same as the import. */
  private async tryImport(lines: readonly StoredLine[]): Promise<Imported> {
    const attempt = this.database.transaction(async (tx) => {
      throw new TriedImport(await writeLines(tx, lines));
    });
    return attempt.catch((end: unknown) => {
      if (end instanceof TriedImport) return end.imported;
      throw end;
    });
  }
}

type Imported = Omit<CatalogImportResponse, 'refused'>;

class TriedImport extends Error {
  constructor(readonly imported: Imported) {
    super('rolled back');
  }
}

async function writeLines(tx: Sql, lines: readonly StoredLine[]): Promise<Imported> {
  const counts = await upsertCatalogLines(tx, lines);
  const changed = lines.filter(bringsCodes).map(({ p1_id: id }) => id);
  return { ...counts, collisions: await writeCodesEverywhere(tx, changed) };
}

/** Of other lines the stored codes stay. */
function bringsCodes({ kept }: StoredLine): boolean {
  return !kept.includes('pzn') || !kept.includes('codes');
}

/** The line to store, or the reasons for its refusal. */
function readLine(raw: unknown): StoredLine | string {
  try {
    return completeLine(validate(CatalogLine, raw, { prefix: '' }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const problems = error.details ?? [];
    return problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  }
}

function idOf(raw: unknown): string | null {
  const id = typeof raw === 'object' && raw !== null && 'p1_id' in raw ? raw.p1_id : null;
  return typeof id === 'string' ? id.slice(0, 255) : null;
}
