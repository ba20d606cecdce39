import type { ShopSettings, ShopSettingsBody, WorkflowMode } from '@offizin/contracts/settings';
import { type Sql, statement } from '@offizin/pg/database';
import type { Workflow } from '../orders/order-status';

const readWorkflow = statement<{ workflow_mode: WorkflowMode; workflow: Workflow | null }, [string]>(
  'workflow_read',
  `SELECT workflow_mode, workflow FROM core.organizations WHERE id = $1`,
);
const writeWorkflow = statement<never, [string, WorkflowMode, string | null]>(
  'workflow_write',
  `UPDATE core.organizations SET workflow_mode = $2, workflow = $3::jsonb WHERE id = $1`,
);
const readShop = statement<ShopSettings, [string, string]>(
  'shop_settings_read',
  `SELECT id AS shop_id, name, domain, is_active FROM core.shops WHERE org_id = $1 AND id = $2`,
);
const writeShop = statement<ShopSettings, [string, string, string | null, string | null, boolean | null]>(
  'shop_settings_write',
  `UPDATE core.shops SET name = coalesce($3, name), domain = coalesce($4, domain), is_active = coalesce($5, is_active)
   WHERE org_id = $1 AND id = $2 RETURNING id AS shop_id, name, domain, is_active`,
);

/** `workflow` is null for the default. */
export async function findWorkflow(
  sql: Sql,
  orgId: string,
): Promise<{ workflow_mode: WorkflowMode; workflow: Workflow | null } | null> {
  return (await sql.rows(readWorkflow, orgId))[0] ?? null;
}

export async function saveWorkflow(
  tx: Sql,
  orgId: string,
  mode: WorkflowMode,
  workflow: Workflow | null,
): Promise<void> {
  await tx.rows(writeWorkflow, orgId, mode, workflow ? JSON.stringify(workflow) : null);
}

export async function findShopSettings(
  sql: Sql,
  orgId: string,
  shopId: string,
): Promise<ShopSettings | null> {
  return (await sql.rows(readShop, orgId, shopId))[0] ?? null;
}

/** Throws a unique violation of `shops_domain` when the domain is taken on the platform. */
export async function saveShopSettings(
  tx: Sql,
  orgId: string,
  shopId: string,
  {
    name = null,
    domain = null,
    is_active = null,
  }: { [K in keyof ShopSettingsBody]: ShopSettingsBody[K] | null },
): Promise<ShopSettings | null> {
  return (await tx.rows(writeShop, orgId, shopId, name, domain, is_active))[0] ?? null;
}
