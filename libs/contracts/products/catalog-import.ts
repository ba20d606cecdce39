import { Flag, Int, Money, Nested, Slug, Text } from '../calls/fields';
import { Members } from '../calls/members';
import { internalOperation } from '../calls/operation';
import { MAX_DESCRIPTION_LENGTH, Percent } from './products';
import { ProductCodes, Pzn } from './codes';

/** Import of the platform's catalog by the operator's command line, in idempotent batches. */

/** The sender also keeps a batch within one bus message (1 MiB). */
export const MAX_IMPORT_LINES = 500;

/** One line of the file. A known product keeps the values of fields that are left out; null clears. */
export class CatalogLine {
  @Text({ minLength: 1 }) p1_id!: string;
  @Text({ minLength: 1 }) name!: string;
  @Slug({ optional: true, nullable: true, description: 'Made from name and id for a new product' })
  slug?: string | null;
  @Text({ optional: true, nullable: true, maxLength: MAX_DESCRIPTION_LENGTH }) description?: string | null;
  @Text({ optional: true, nullable: true, minLength: 1 }) category?: string | null;
  @Money() price!: number;
  @Percent('THC in per cent') thc?: number | null;
  @Percent('CBD in per cent') cbd?: number | null;
  @Flag({ optional: true, nullable: true, description: 'true for a new product' }) available?: boolean | null;
  @Pzn({ optional: true, nullable: true, description: 'PZN' }) pzn?: string | null;
  @ProductCodes({ optional: true, nullable: true, description: 'GTINs; in CSV with blanks between them' })
  codes?: string[] | null;
}

export class CatalogImportBody {
  /** Each is checked as a CatalogLine separately, so that one invalid line does not refuse the others. */
  @Members(() => CatalogLine, { maxItems: MAX_IMPORT_LINES }) lines!: unknown[];
  @Flag({ optional: true, description: 'Counts what would change, and writes nothing' }) dry_run?: boolean;
}

export class RefusedLine {
  @Int({ description: 'Place in the batch, from 0' }) index!: number;
  @Text({ nullable: true }) p1_id!: string | null;
  @Text({ maxLength: 10_000 }) reason!: string;
}

export const MAX_CODE_COLLISIONS = 100;

export class CodeCollision {
  @Text({ format: 'uuid' }) org_id!: string;
  @Text({ description: 'The product of the file' }) p1_id!: string;
  @Text({ description: 'PZN or GTIN' }) code!: string;
  @Text({ description: 'The product that has the code in this organization, and keeps it' })
  taken_by!: string;
  @Text({ description: 'Its name in the organization' }) taken_by_name!: string;
}

export class CatalogImportResponse {
  @Int() imported!: number;
  @Int() updated!: number;
  @Int() unchanged!: number;
  @Nested(() => RefusedLine, { list: { maxItems: MAX_IMPORT_LINES } }) refused!: RefusedLine[];
  @Nested(() => CodeCollision, {
    list: { maxItems: MAX_CODE_COLLISIONS },
    description: 'Organizations in which a code stays with another product; the first 100',
  })
  collisions!: CodeCollision[];
}

export const importCatalog = internalOperation({
  name: 'catalog.import',
  summary: "Create or update products of the platform's catalog",
  service: 'catalog',
  body: CatalogImportBody,
  reply: CatalogImportResponse,
});
