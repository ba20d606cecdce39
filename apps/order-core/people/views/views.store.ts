import {
  MAX_OWN_VIEWS,
  MAX_SHARED_VIEWS,
  type OrderColumn,
  type View,
  type ViewBody,
  type ViewQuery,
  type ViewScreen,
} from '@offizin/contracts/console/views';
import { type Sql, statement } from '@offizin/pg/database';
import { changeOf } from '@offizin/pg/queries';
import { folded } from '@offizin/pg/list-page';

/** Unique keys of a name: within the views of one person, and within the shared ones. */
export const NAME_KEYS = ['saved_views_own', 'saved_views_shared'] as const;

const COLUMNS = `id, screen, name, query, columns, staff_id IS NULL AS shared, version`;

/** Another person's view is never found: it has another `staff_id`. */
const VISIBLE = `org_id = $1 AND (staff_id IS NULL OR staff_id = $2)`;

const list = statement<View, [string, string, readonly ViewScreen[]]>(
  'views_list',
  `SELECT ${COLUMNS} FROM core.saved_views WHERE ${VISIBLE} AND screen = ANY($3)
   ORDER BY ${folded('name')}, id LIMIT ${MAX_OWN_VIEWS + MAX_SHARED_VIEWS}`,
);
const lock = statement<View, [string, string, string, readonly ViewScreen[]]>(
  'views_lock',
  `SELECT ${COLUMNS} FROM core.saved_views WHERE ${VISIBLE} AND id = $3 AND screen = ANY($4) FOR UPDATE`,
);
const countOwn = statement<{ views: number }, [string, string]>(
  'views_count_own',
  `SELECT count(*)::int AS views FROM core.saved_views WHERE org_id = $1 AND staff_id = $2`,
);
const countShared = statement<{ views: number }, [string]>(
  'views_count_shared',
  `SELECT count(*)::int AS views FROM core.saved_views WHERE org_id = $1 AND staff_id IS NULL`,
);
interface Content {
  name: string;
  query: string;
  columns: readonly OrderColumn[];
  staffId: string | null;
}
const insert = statement<View, Content & { id: string; orgId: string; screen: ViewScreen }>(
  'views_insert',
  `INSERT INTO core.saved_views (id, org_id, screen, name, query, columns, staff_id)
   VALUES ($id, $orgId, $screen, $name, $query::jsonb, $columns, $staffId) RETURNING ${COLUMNS}`,
);
const update = statement<View, Content & { id: string }>(
  'views_update',
  `UPDATE core.saved_views SET name = $name, query = $query::jsonb, columns = $columns, staff_id = $staffId,
     version = version + 1, changed_at = now()
   WHERE id = $id RETURNING ${COLUMNS}`,
);
export const dropView = changeOf<[viewId: string]>(
  'views_drop',
  `DELETE FROM core.saved_views WHERE id = $1`,
);

/** Whose views a call sees. */
export interface Viewer {
  orgId: string;
  staffId: string;
}

/** By name, of these screens. */
export async function viewsOf(
  sql: Sql,
  { orgId, staffId }: Viewer,
  screens: readonly ViewScreen[],
): Promise<View[]> {
  return sql.rows(list, orgId, staffId, screens);
}

/** Null when the person sees no such view. */
export async function lockView(
  tx: Sql,
  { orgId, staffId }: Viewer,
  viewId: string,
  screens: readonly ViewScreen[],
): Promise<View | null> {
  return (await tx.rows(lock, orgId, staffId, viewId, screens))[0] ?? null;
}

/** Exact while the person, or the organization for shared ones, is locked. */
export async function hasRoom(tx: Sql, { orgId, staffId }: Viewer, shared: boolean): Promise<boolean> {
  const [row] = await (shared ? tx.rows(countShared, orgId) : tx.rows(countOwn, orgId, staffId));
  return (row?.views ?? 0) < (shared ? MAX_SHARED_VIEWS : MAX_OWN_VIEWS);
}

/** Throws a unique violation of NAME_KEYS. */
export async function insertView(tx: Sql, id: string, viewer: Viewer, view: ViewBody): Promise<View> {
  const [row] = await tx.rows(insert, {
    ...contentOf(view, viewer),
    id,
    orgId: viewer.orgId,
    screen: view.screen,
  });
  if (!row) throw new Error('the view was not inserted');
  return row;
}

/** Throws a unique violation of NAME_KEYS. */
export async function changeView(tx: Sql, viewer: Viewer, view: View): Promise<View> {
  const [row] = await tx.rows(update, { ...contentOf(view, viewer), id: view.id });
  if (!row) throw new Error('the view was not changed');
  return row;
}

function contentOf({ name, query, columns, shared }: ViewBody, { staffId }: Viewer): Content {
  const text = JSON.stringify(query satisfies ViewQuery);
  return { name, query: text, columns, staffId: shared ? null : staffId };
}
