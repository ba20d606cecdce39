import {
  DEFAULT_AMBER_DAYS,
  DEFAULT_RED_DAYS,
  MARKS,
  type ReviewSettings,
  type ReviewSettingsBody,
} from '@offizin/contracts/requests/review-settings';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../../audit/audit.store';

interface SettingsRow extends Omit<ReviewSettings, 'at'> {
  at: Date;
}

const find = statement<SettingsRow, [string]>(
  'review_settings_find',
  `SELECT s.marks, s.marks_only_for_thc, s.amber_days, s.red_days, s.templates, s.version, s.four_eyes,
     s.four_eyes_categories,
     coalesce(person.name, s.changed_by) AS by, s.changed_at AS at
   FROM core.review_settings s ${joinPerson('s', 'changed_by')} WHERE s.org_id = $1`,
);
/** Null keeps `$9` and `$10`. Writes nothing when the stored version differs from `$2`; without a row it is 0. */
const save = statement<
  { version: number },
  [
    ...[orgId: string, version: number, changedBy: string, marks: readonly string[], onlyForThc: boolean],
    ...[amberDays: number, redDays: number, templates: string],
    ...[fourEyes: string | null, categories: readonly string[] | null],
  ]
>(
  'review_settings_save',
  `INSERT INTO core.review_settings AS s
     (org_id, version, changed_by, marks, marks_only_for_thc, amber_days, red_days, templates, four_eyes,
      four_eyes_categories)
   SELECT $1, 1, $3, $4, $5, $6, $7, $8::jsonb, coalesce($9, 'off'), coalesce($10::text[], '{}')
   WHERE $2 = 0 OR EXISTS (SELECT FROM core.review_settings WHERE org_id = $1)
   ON CONFLICT ON CONSTRAINT review_settings_pkey DO UPDATE SET
     version = s.version + 1, changed_by = $3, changed_at = now(), marks = $4, marks_only_for_thc = $5,
     amber_days = $6, red_days = $7, templates = $8::jsonb, four_eyes = coalesce($9, s.four_eyes),
     four_eyes_categories = coalesce($10::text[], s.four_eyes_categories)
   WHERE s.version = $2
   RETURNING version`,
);

const DEFAULTS: ReviewSettings = {
  marks: [...MARKS],
  marks_only_for_thc: true,
  templates: [],
  four_eyes: 'off',
  four_eyes_categories: [],
  amber_days: DEFAULT_AMBER_DAYS,
  red_days: DEFAULT_RED_DAYS,
  version: 0,
  by: null,
  at: null,
};

export async function findReviewSettings(sql: Sql, orgId: string): Promise<ReviewSettings> {
  const [row] = await sql.rows(find, orgId);
  return row ? { ...row, at: row.at.toISOString() } : DEFAULTS;
}

/** False if they were changed since the version of the body. */
export async function saveReviewSettings(
  tx: Sql,
  orgId: string,
  { body, changedBy }: { body: ReviewSettingsBody; changedBy: string },
): Promise<boolean> {
  const { version, marks, marks_only_for_thc: onlyForThc, amber_days: amber, red_days: red } = body;
  const chosen = MARKS.filter((mark) => marks.includes(mark));
  const templates = JSON.stringify(body.templates);
  const { four_eyes: fourEyes = null, four_eyes_categories: categories = null } = body;
  const marked = [chosen, onlyForThc, amber, red, templates] as const;
  const rows = await tx.rows(save, orgId, version, changedBy, ...marked, fourEyes, categories);
  return rows.length === 1;
}
