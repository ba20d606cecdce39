import { Refused } from '@offizin/contracts/calls/errors';
import type {
  ClosedOrderRule,
  ShopSettings,
  WorkflowMode,
  WorkflowResponse,
} from '@offizin/contracts/orders/settings';
import { type Sql, statement } from '@offizin/pg/database';
import type { Organization } from '../../db/entities';
import { DEFAULT_WORKFLOW, type Workflow } from '../orders/order-status';
import { createHash } from 'node:crypto';
import { ORDER_STATUSES } from '@offizin/contracts/orders/orders';
import { requireMatch } from '@offizin/operations/entity-tags';

type WorkflowRow = Pick<Organization, 'workflow_mode' | 'closed_orders'> & { workflow: Workflow | null };
type ShopRow = Omit<ShopSettings, 'version'>;
/** Null keeps a value. */
interface ChosenShop {
  name: string | null;
  domain: string | null;
  is_active: boolean | null;
}

const WORKFLOW = `SELECT workflow_mode, workflow, closed_orders FROM core.organizations WHERE id = $1`;
const readWorkflow = statement<WorkflowRow, [string]>('workflow_read', WORKFLOW);
/** Inserts of orders refer to the row, and are not kept waiting. */
const lockWorkflowRow = statement<WorkflowRow, [string]>('workflow_lock', `${WORKFLOW} FOR NO KEY UPDATE`);
const writeWorkflow = statement<WorkflowRow, [string, WorkflowMode, string | null, ClosedOrderRule | null]>(
  'workflow_write',
  `UPDATE core.organizations SET workflow_mode = $2, workflow = $3::jsonb, closed_orders = coalesce($4, closed_orders)
   WHERE id = $1 RETURNING workflow_mode, workflow, closed_orders`,
);
const SHOP = `SELECT id AS shop_id, name, domain, is_active, is_test FROM core.shops WHERE org_id = $1 AND id = $2`;
const readShop = statement<ShopRow, [string, string]>('shop_settings_read', SHOP);
const lockShopRow = statement<ShopRow, [string, string]>('shop_settings_lock', `${SHOP} FOR NO KEY UPDATE`);
const writeShop = statement<ShopRow, ChosenShop & { orgId: string; shopId: string }>(
  'shop_settings_write',
  `UPDATE core.shops SET name = coalesce($name, name), domain = coalesce($domain, domain),
          is_active = coalesce($is_active, is_active)
   WHERE org_id = $orgId AND id = $shopId RETURNING id AS shop_id, name, domain, is_active, is_test`,
);

/** The standard one where the organization has set none. */
export async function findWorkflow(sql: Sql, orgId: string): Promise<WorkflowResponse> {
  return workflowOf((await sql.rows(readWorkflow, orgId))[0]);
}

/** Kept from other changes until the transaction ends. */
export async function lockWorkflow(tx: Sql, orgId: string): Promise<WorkflowResponse> {
  return workflowOf((await tx.rows(lockWorkflowRow, orgId))[0]);
}

/** `workflow` is null for the default; without `closed_orders` that rule stays. */
export async function saveWorkflow(
  tx: Sql,
  orgId: string,
  { mode, workflow, closed_orders = null }: ChosenWorkflow,
): Promise<WorkflowResponse> {
  const text = workflow ? JSON.stringify(workflow) : null;
  return workflowOf((await tx.rows(writeWorkflow, orgId, mode, text, closed_orders))[0]);
}

interface ChosenWorkflow {
  mode: WorkflowMode;
  workflow: Workflow | null;
  closed_orders?: ClosedOrderRule | null;
}

function workflowOf(row: WorkflowRow | undefined): WorkflowResponse {
  const found = {
    mode: row?.workflow_mode ?? 'default',
    transitions: row?.workflow ?? DEFAULT_WORKFLOW,
    closed_orders: row?.closed_orders ?? 'refuse',
  };
  return { ...found, version: workflowVersion(found) };
}

export async function findShopSettings(
  sql: Sql,
  orgId: string,
  shopId: string,
): Promise<ShopSettings | null> {
  return shopOf((await sql.rows(readShop, orgId, shopId))[0]);
}

/** Kept from other changes until the transaction ends. */
export async function lockShopSettings(tx: Sql, orgId: string, shopId: string): Promise<ShopSettings | null> {
  return shopOf((await tx.rows(lockShopRow, orgId, shopId))[0]);
}

/** Throws a unique violation of `shops_domain` when the domain is taken on the platform. */
export async function saveShopSettings(
  tx: Sql,
  orgId: string,
  shopId: string,
  { name = null, domain = null, is_active = null }: Partial<ChosenShop>,
): Promise<ShopSettings | null> {
  return shopOf((await tx.rows(writeShop, { orgId, shopId, name, domain, is_active }))[0]);
}

function shopOf(row: ShopRow | undefined): ShopSettings | null {
  return row ? { ...row, version: shopVersion(row) } : null;
}

/** Settings have their content as version: who knows it knows the settings. */

export function workflowVersion(settings: Omit<WorkflowResponse, 'version'>): string {
  const { mode, closed_orders, transitions } = settings;
  // The database does not keep the order of keys.
  return versionOf([mode, closed_orders, ...ORDER_STATUSES.map((status) => transitions[status])]);
}

export function shopVersion({
  name,
  domain,
  is_active,
}: Pick<ShopSettings, 'name' | 'domain' | 'is_active'>): string {
  return versionOf([name, domain, is_active]);
}

function versionOf(content: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

export function tagOf({ version }: { version: string }): string {
  return `"${version}"`;
}

const CHANGED_SINCE = 'The settings have changed since: read them again and repeat with their new version.';

/**
 * `read` is the version in the body. Without it and the header everything may be changed. Throws `Refused`
 * (invalid_request, precondition_failed).
 */
export function requireVersion(
  ifMatch: string | undefined,
  read: string | undefined,
  present: { version: string },
): void {
  requireMatch(ifMatch, tagOf(present), CHANGED_SINCE);
  if (read !== undefined && read !== present.version) throw new Refused('precondition_failed', CHANGED_SINCE);
}
