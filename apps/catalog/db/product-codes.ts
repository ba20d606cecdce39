import { Refused } from '@offizin/contracts/calls/errors';
import { type CodeCollision, MAX_CODE_COLLISIONS } from '@offizin/contracts/products/catalog-import';
import { changeOf } from '@offizin/pg/queries';
import { type Sql, statement } from '@offizin/pg/database';
import { effective, OWN_CODES } from './effective-product';
import { SCHEMA } from './schema';

/**
 * The codes of the products of organizations, as rows: their own ones, else the catalog's. What changes a layer of a
 * product writes them in its transaction: a change of the organization's values, an addition to the inventory, an import
 * of the catalog.
 *
 * Guarantee: of the products of an organization that carry a code one has it, by a unique index. The others wait for it,
 * and the first of them by id gets it with the change by which that one gives it away.
 * Writers lock first the product in the catalog, then their organization, or all of them (advisory locks), so an exchange
 * of codes between two products cannot deadlock.
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
const IS_DIFFERENT = `EXISTS ((${WANTED}) EXCEPT (${PRESENT})) OR EXISTS ((${PRESENT}) EXCEPT (${WANTED}))`;
const ALL_ORGANIZATIONS = `hashtextextended('product codes', 0)`;

/**
 * Before the product's row in the inventory: an import has locked the product, and waits for a row there that gets another
 * slug. While it is locked, an import that changes the product waits; other organizations do not.
 */
export const lockProduct = changeOf<[p1Id: string]>(
  'product_codes_lock_product',
  `SELECT FROM ${SCHEMA}.products WHERE p1_id = $1 FOR SHARE`,
);

/** One row if anything differs. A separate statement: the next one sees what this one waited for. */
const lockOrganization = statement<never, Written>(
  'product_codes_lock_organization',
  `SELECT pg_advisory_xact_lock_shared(${ALL_ORGANIZATIONS}),
     pg_advisory_xact_lock(hashtextextended('product codes ' || $orgId::uuid, 0)) WHERE ${IS_DIFFERENT}`,
);

/** One lock for all: PostgreSQL has room for some thousand locks of a transaction, not for one of each organization. */
const lockAllOrganizations = statement<never, Written>(
  'product_codes_lock_all_organizations',
  `SELECT pg_advisory_xact_lock(${ALL_ORGANIZATIONS}) WHERE ${IS_DIFFERENT}`,
);

/** Also passes on each code that a product had and that others wait for. */
const remove = statement<never, Written>(
  'product_codes_remove',
  `WITH removed AS (
     DELETE FROM ${SCHEMA}.product_codes c USING ${ITEMS}
     WHERE i.org_id = c.org_id AND i.p1_id = c.p1_id AND ${OF('c')} AND c.code <> ALL (${COUNTING})
     RETURNING c.org_id, c.code, c.waits
   ), next AS (
     SELECT DISTINCT ON (c.org_id, c.code) c.org_id, c.code, c.p1_id
     FROM removed
       JOIN ${SCHEMA}.product_codes c ON c.org_id = removed.org_id AND c.code = removed.code AND c.waits
       JOIN ${SCHEMA}.inventory i ON i.org_id = c.org_id AND i.p1_id = c.p1_id
       JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
     WHERE NOT removed.waits AND c.code = ANY (${COUNTING})
     ORDER BY c.org_id, c.code, c.p1_id
   )
   UPDATE ${SCHEMA}.product_codes c SET waits = false FROM next
   WHERE c.org_id = next.org_id AND c.code = next.code AND c.p1_id = next.p1_id`,
);

/** After `remove`: within one statement, a code that moves to another product would still be taken. */
const insert = statement<never, Written>(
  'product_codes_insert',
  `INSERT INTO ${SCHEMA}.product_codes (org_id, code, p1_id, waits)
   SELECT missing.org_id, missing.code, missing.p1_id, owner.p1_id IS NOT NULL
     OR row_number() OVER (PARTITION BY missing.org_id, missing.code ORDER BY missing.p1_id) > 1
   FROM ((${WANTED}) EXCEPT (${PRESENT})) AS missing
     LEFT JOIN ${SCHEMA}.product_codes owner
       ON owner.org_id = missing.org_id AND owner.code = missing.code AND NOT owner.waits`,
);

/** `layers`: which values of a product are looked at. */
const collisions = statement<CodeCollision, Written & { layers: readonly ('pzn' | 'codes')[]; most: number }>(
  'product_codes_collisions',
  `SELECT waiting.org_id, waiting.p1_id, waiting.code, i.p1_id AS taken_by,
     ${effective('name', 'organization')} AS taken_by_name
   FROM (
     SELECT c.org_id, c.p1_id, c.code FROM ${SCHEMA}.product_codes c
       JOIN ${SCHEMA}.inventory i ON i.org_id = c.org_id AND i.p1_id = c.p1_id
       JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
     WHERE ${OF('c')} AND c.waits AND c.code = ANY (${SCHEMA}.codes_that_count(
       CASE WHEN 'pzn' = ANY ($layers::text[]) THEN ${OWN_CODES.pzn} END,
       CASE WHEN 'codes' = ANY ($layers) THEN ${OWN_CODES.codes} END))
   ) AS waiting
     JOIN ${SCHEMA}.product_codes c ON c.org_id = waiting.org_id AND c.code = waiting.code AND NOT c.waits
     JOIN ${SCHEMA}.inventory i ON i.org_id = c.org_id AND i.p1_id = c.p1_id
     JOIN ${SCHEMA}.products p ON p.p1_id = c.p1_id
   ORDER BY waiting.org_id, waiting.p1_id, waiting.code LIMIT $most`,
);

const LAYERS = ['pzn', 'codes'] as const;

/**
 * Writes the codes of the products in every organization. Answers the first codes that another product has and keeps.
 * The caller has locked the products.
 */
export async function writeCodesEverywhere(tx: Sql, p1Ids: readonly string[]): Promise<CodeCollision[]> {
  const written = { orgId: null, p1Ids };
  await writeDifferent(tx, written, lockAllOrganizations);
  return tx.rows(collisions, { ...written, layers: LAYERS, most: MAX_CODE_COLLISIONS });
}

/**
 * Writes the codes of a product of the organization. Throws `Refused` if another product has one of those that the change
 * brings: all of a new product's, else those of the given values. The caller has locked the product.
 */
export async function writeCodesOf(
  tx: Sql,
  orgId: string,
  p1Id: string,
  given: { pzn?: unknown; codes?: unknown } | null = null,
): Promise<void> {
  const written = { orgId, p1Ids: [p1Id] };
  await writeDifferent(tx, written, lockOrganization);
  const layers = LAYERS.filter((layer) => given === null || given[layer] !== undefined);
  const [taken] = await tx.rows(collisions, { ...written, layers, most: 1 });
  if (!taken) return;
  throw new Refused(
    'conflict',
    `${taken.code} is a code of the product ${taken.taken_by} (${taken.taken_by_name}) of this organization: change it there first.`,
  );
}

async function writeDifferent(tx: Sql, written: Written, lock: typeof lockOrganization): Promise<void> {
  const different = await tx.rows(lock, written);
  if (different.length === 0) return;
  await tx.rows(remove, written);
  await tx.rows(insert, written);
}
