import {
  DEFAULT_AMBER_DAYS,
  DEFAULT_RED_DAYS,
  MARKS,
  type ReviewSettings,
  type ReviewSettingsBody,
} from '@offizin/contracts/requests/review-settings';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../../audit/audit.store';
import type { ReviewSettingsEntity } from '../../db/request-entities';

type SettingsRow = Omit<ReviewSettingsEntity, 'org_id' | 'changed_by' | 'changed_at'> & {
  by: string;
  at: ReviewSettingsEntity['changed_at'];
};

const find = statement<SettingsRow, [string]>(
  'review_settings_find',
  `SELECT s.marks, s.marks_only_for_thc, s.amber_days, s.red_days, s.templates, s.version, s.four_eyes,
     s.four_eyes_categories,
     coalesce(person.name, s.changed_by) AS by, s.changed_at AS at
   FROM core.review_settings s ${joinPerson('s', 'changed_by')} WHERE s.org_id = $1`,
);
/**
 * Null keeps two-person approval and its categories. Writes nothing when the stored version is another; without a row it
 * is 0.
 */
const save = statement<
  Pick<ReviewSettingsEntity, 'version'>,
  {
    orgId: string;
    version: number;
    changedBy: string;
    marks: readonly string[];
    onlyForThc: boolean;
    amberDays: number;
    redDays: number;
    templates: string;
    fourEyes: string | null;
    categories: readonly string[] | null;
  }
>(
  'review_settings_save',
  `INSERT INTO core.review_settings AS s
     (org_id, version, changed_by, marks, marks_only_for_thc, amber_days, red_days, templates, four_eyes,
      four_eyes_categories)
   SELECT $orgId, 1, $changedBy, $marks, $onlyForThc, $amberDays, $redDays, $templates::jsonb,
          coalesce($fourEyes, 'off'), coalesce($categories::text[], '{}')
   WHERE $version = 0 OR EXISTS (SELECT FROM core.review_settings WHERE org_id = $orgId)
   ON CONFLICT ON CONSTRAINT review_settings_pkey DO UPDATE SET
     version = s.version + 1, changed_by = $changedBy, changed_at = now(), marks = $marks,
     marks_only_for_thc = $onlyForThc, amber_days = $amberDays, red_days = $redDays, templates = $templates::jsonb,
     four_eyes = coalesce($fourEyes, s.four_eyes),
     four_eyes_categories = coalesce($categories::text[], s.four_eyes_categories)
   WHERE s.version = $version
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
  const rows = await tx.rows(save, {
    orgId,
    version: body.version,
    changedBy,
    marks: MARKS.filter((mark) => body.marks.includes(mark)),
    onlyForThc: body.marks_only_for_thc,
    amberDays: body.amber_days,
    redDays: body.red_days,
    templates: JSON.stringify(body.templates),
    fourEyes: body.four_eyes ?? null,
    categories: body.four_eyes_categories ?? null,
  });
  return rows.length === 1;
}
