import type { Prescriber } from '@offizin/contracts/requests/prescription-fields';
import type { PrescriberCheck } from '@offizin/contracts/requests/prescriber-check';
import { type Sql, statement } from '@offizin/pg/database';
import { nameFolded, nameWordsOf } from '@offizin/pg/search-words';
import { joinPerson } from '../../audit/audit.store';
import { keyedHash } from '../../crypto/encryption';
import type { CheckedPrescriberEntity } from '../../db/request-entities';

/** Prescribers whom people of the organization have checked. No column names one. */

const find = statement<{ by: string; at: string }, [string, Buffer]>(
  'checked_prescriber_find',
  `SELECT coalesce(person.name, c.checked_by) AS by, core.iso(c.checked_at) AS at
   FROM core.checked_prescribers c ${joinPerson('c', 'checked_by')}
   WHERE c.org_id = $1 AND c.identity = $2`,
);
const insert = statement<Pick<CheckedPrescriberEntity, 'org_id'>, [string, Buffer, string]>(
  'checked_prescriber_insert',
  `INSERT INTO core.checked_prescribers (org_id, identity, checked_by) VALUES ($1, $2, $3)
   ON CONFLICT ON CONSTRAINT checked_prescribers_pkey DO NOTHING RETURNING org_id`,
);
const remove = statement<Pick<CheckedPrescriberEntity, 'org_id'>, [string, Buffer]>(
  'checked_prescriber_remove',
  `DELETE FROM core.checked_prescribers WHERE org_id = $1 AND identity = $2 RETURNING org_id`,
);

const TITLES = new Set(['dr', 'dres', 'prof', 'dipl', 'pd', 'priv', 'doz']);
/** A surname without its point. */
const SUBJECT = /(?<!\p{L})(?:med|dent)\./giu;
const TITLE_AND_SUBJECTS =
  /(?<!\p{L})((?:dr|dres|prof|dipl|pd|priv|doz)[. -]+)(?:(?:med|dent)(?![\p{L},])[ -]*)+/giu;

/** The words of a name without titles. A subject without its point is one where two names stay: not in "Dr. Dent, Ada". */
function namesOf(name: string): string[] {
  const pointed = name.replace(SUBJECT, ' ');
  const [few = [], all = []] = [pointed.replace(TITLE_AND_SUBJECTS, '$1'), pointed].map((text) =>
    nameWordsOf(text).filter((word) => !TITLES.has(word)),
  );
  return few.length > 1 ? few : all;
}

/**
 * The name with the number, else with the postal code: neither a number nor a name alone identifies the person. Null
 * without. A check in a test shop counts in test shops only. Former rules hashed the number alone under 'prescriber number',
 * and a name in which Bauer equals Baur under 'prescriber': such checks count as never made.
 */
export function identityOf(
  key: Buffer,
  prescriber: Prescriber | null | undefined,
  isTest: boolean,
): Buffer | null {
  const { number, name, postal_code: code } = prescriber ?? {};
  const words = namesOf(name ?? '');
  const further = number ? ['number', number] : ['postal_code', nameFolded(code ?? '')];
  if (words.length === 0 || further[1] === '') return null;
  return keyedHash(
    key,
    isTest ? 'test prescriber name' : 'prescriber name',
    JSON.stringify([words.join(' '), ...further]),
  );
}

/** The person who has checked the prescriber, with the time; null if unchecked. */
export async function checkOf(
  sql: Sql,
  orgId: string,
  identity: Buffer | null,
): Promise<PrescriberCheck | null> {
  return identity && ((await sql.rows(find, orgId, identity))[0] ?? null);
}

/** False when nothing changes: the first check stays. */
export async function setCheck(
  tx: Sql,
  orgId: string,
  { identity, checkedBy }: { identity: Buffer; checkedBy: string | null },
): Promise<boolean> {
  const rows =
    checkedBy === null
      ? await tx.rows(remove, orgId, identity)
      : await tx.rows(insert, orgId, identity, checkedBy);
  return rows.length > 0;
}
