import { Refused } from '@offizin/contracts/calls/errors';
import { type CodeCollision, MAX_CODE_COLLISIONS } from '@offizin/contracts/products/catalog-import';
import { changeOf } from '@offizin/pg/queries';
import { type Sql, statement } from '@offizin/pg/database';
import { effective, OWN_CODES } from './effective-product';
import { SCHEMA } from './schema';

/**
 * The codes that count for organizations, as rows. What changes a layer of a product writes them in its transaction: a
 * change of the organization's values, an addition to the inventory, an import of the catalog.
 *
 * Guarantee: a code is of one product of an organization, by the primary key. Writers lock first the product in the
 * catalog, then the organization (an advisory lock), so an exchange of codes between two products cannot deadlock.
 */

/** `orgId` null: every organization. */
interface Written {
  orgId: string | null;
  p1Ids: readonly string[];
}

const COUNTING = `${SCHEMA}.codes_that_count(${OWN_CODES.pzn}, ${OWN_CODES.codes})`;
const ITEMS = `${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id`;
const OF = (row: string): string =>
  `${row}.p1_id = ANY ($p1Ids::text[]) AND ($orgId::uuid IS NULL OR ${row}.org_id = $orgId)`;
const WANTED = `SELECT i.org_id, i.p1_id, counting.code
  FROM ${ITEMS}, unnest(${COUNTING}) AS counting (code) WHERE ${OF('i')}`;
const PRESENT = `SELECT c.org_id, c.p1_id, c.code FROM ${SCHEMA}.product_codes c WHERE ${OF('c')}`;

/**
 * Before the product's row in the inventory: an import has locked the product, and waits for a row there that gets another
 * slug. While it is locked, an import that changes the product waits; other organizations do not.
 */
export const lockProduct = changeOf<[p1Id: string]>(
  'product_codes_lock_product',
  `SELECT FROM ${SCHEMA}.products WHERE p1_id = $1 FOR SHARE`,
);

/** One row for each organization with a difference. A separate statement: the next one sees what this one waited for. */
const lockOrganizations = statement<never, Written>(
  'product_codes_lock_organizations',
  `SELECT pg_advisory_xact_lock(key) FROM (
     SELECT DISTINCT hashtextextended('product codes ' || org_id, 0) AS key
     FROM (((${WANTED}) EXCEPT (${PRESENT})) UNION ((${PRESENT}) EXCEPT (${WANTED}))) AS different ORDER BY key
   ) AS organizations`,
);

const remove = statement<never, Written>(
  'product_codes_remove',
  `DELETE FROM ${SCHEMA}.product_codes c USING ${ITEMS}
   WHERE i.org_id = c.org_id AND i.p1_id = c.p1_id AND ${OF('c')} AND c.code <> ALL (${COUNTING})`,
);

/** After `remove`: within one statement, a code that moves to another product would still be taken. */
const insert = statement<never, Written>(
  'product_codes_insert',
  `INSERT INTO ${SCHEMA}.product_codes (org_id, code, p1_id)
   SELECT org_id, code, p1_id FROM (${WANTED}) AS wanted ORDER BY org_id, code, p1_id
   ON CONFLICT (org_id, code) DO NOTHING`,
);

const collisions = statement<CodeCollision, Written & { most: number }>(
  'product_codes_collisions',
  `SELECT wanted.org_id, wanted.p1_id, wanted.code, i.p1_id AS taken_by,
     ${effective('name', 'organization')} AS taken_by_name
   FROM (${WANTED}) AS wanted
     JOIN ${SCHEMA}.product_codes c ON c.org_id = wanted.org_id AND c.code = wanted.code AND c.p1_id <> wanted.p1_id
     JOIN ${SCHEMA}.inventory i ON i.org_id = c.org_id AND i.p1_id = c.p1_id
     JOIN ${SCHEMA}.products p ON p.p1_id = c.p1_id
   ORDER BY wanted.org_id, wanted.p1_id, wanted.code LIMIT $most`,
);

/**
 * Writes the codes of the products in every organization. Answers the first codes that another product has and keeps.
 * The caller has locked the products.
 */
export async function writeCodesEverywhere(tx: Sql, p1Ids: readonly string[]): Promise<CodeCollision[]> {
  return writeCodes(tx, { orgId: null, p1Ids });
}

/**
 * Writes the codes of a product of the organization. Throws `Refused` if another product has one of them. The caller has
 * locked the product.
 */
export async function writeCodesOf(tx: Sql, orgId: string, p1Id: string): Promise<void> {
  const [taken] = await writeCodes(tx, { orgId, p1Ids: [p1Id] });
  if (!taken) return;
  throw new Refused(
    'conflict',
    `${taken.code} is a code of the product ${taken.taken_by} (${taken.taken_by_name}) of this organization: change it there first.`,
  );
}

async function writeCodes(tx: Sql, written: Written): Promise<CodeCollision[]> {
  const different = await tx.rows(lockOrganizations, written);
  if (different.length === 0) return [];
  await tx.rows(remove, written);
  await tx.rows(insert, written);
  return tx.rows(collisions, { ...written, most: MAX_CODE_COLLISIONS });
}
