import type { CallbackStep } from '@offizin/contracts/requests/certification-steps';
import { changeOf, rowsOf, valueOf, valuesOf } from '@offizin/pg/queries';
import type { ShopRow } from '../../db/entities';
import type { CertifiedStepEntity } from '../../db/request-entities';

/** An integration at a shop. */
export interface Certified {
  orgId: string;
  shopId: string;
  integrationId: string;
}

/** The rows of an integration at a test shop of its organization. */
const OF = `JOIN core.shops s ON s.id = c.shop_id AND s.is_test AND s.org_id = $orgId
   WHERE c.shop_id = $shopId AND c.integration_id = $integrationId`;

/** Keeps the first time of each, and none at a real shop. `keyId`: any key of the integration. */
export const tickSteps = changeOf<
  { orgId: string; shopId: string; keyId: string } & { steps: readonly string[]; doneBy: string }
>(
  'certification_tick',
  `INSERT INTO core.certified_steps (shop_id, integration_id, step, request_id)
   SELECT s.id, coalesce(k.first_key_id, k.id), given.step, $doneBy
   FROM core.shops s JOIN core.api_keys k ON k.org_id = s.org_id, unnest($steps::text[]) AS given (step)
   WHERE s.org_id = $orgId AND s.id = $shopId AND s.is_test AND k.id = $keyId AND k.kind = 'int'
   ON CONFLICT DO NOTHING`,
);

export const doneSteps = rowsOf<Pick<CertifiedStepEntity, 'step' | 'request_id' | 'done_at'>, Certified>(
  'certification_done',
  `SELECT c.step, c.request_id, c.done_at FROM core.certified_steps c ${OF}`,
);

/** Those of the given that are not done. */
export const openSteps = valuesOf<CallbackStep, Certified & { steps: readonly CallbackStep[] }>(
  'certification_open',
  `SELECT given.step FROM unnest($steps::text[]) AS given (step)
   WHERE NOT EXISTS (SELECT FROM core.certified_steps c ${OF} AND c.step = given.step)`,
);

export const forgetSteps = changeOf<Certified>(
  'certification_forget',
  `DELETE FROM core.certified_steps c USING core.shops s
   WHERE s.id = c.shop_id AND s.org_id = $orgId AND c.shop_id = $shopId AND c.integration_id = $integrationId`,
);

/** Null without such a shop in the organization. */
export const isTestShop = valueOf<ShopRow['is_test'] | null, [orgId: string, shopId: string]>(
  'certification_shop',
  `SELECT is_test FROM core.shops WHERE org_id = $1 AND id = $2`,
  null,
);

/**
 * Of a key that may have ended; null without such a key in the organization. One that is not a connector key has done no
 * step.
 */
export const integrationOfKey = valueOf<string | null, [orgId: string, keyId: string]>(
  'certification_key',
  `SELECT coalesce(first_key_id, id) AS id FROM core.api_keys WHERE org_id = $1 AND id = $2`,
  null,
);
