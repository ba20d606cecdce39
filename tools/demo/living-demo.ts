import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { importHistory, MAX_IMPORTED_REQUESTS } from '@offizin/contracts/orders/history-import';
import { Offizin } from '../../clients/typescript/src/client';
import { Platform, type PlatformAccess } from '../offizin/platform';
import { type DemoOrganization, writeJson } from '../up/demo-file';
import { type HistoryPlan, pastOrders, pastRequests, type Placed, SHOP_SHARES } from './history';
import { type DemoProduct, readProducts, stockProducts } from './products';
import { Random } from './random';
import { makeRequest } from './requests';
import { DemoReceiver } from './webhook-endpoints';

/**
 * Fills the demo while the stack already serves, and keeps it alive: products and stock, the history, three webhook
 * endpoints, then one request a minute.
 *
 * Guarantees: it may end at any moment; the next start goes on where it ended and doubles nothing, because every
 * row has its reference from the plan, and its time from the first start (demo-history.json in the data folder).
 */
export interface DemoTarget {
  dataDir: string;
  gatewayUrl: string;
  operator: PlatformAccess;
  organizations: DemoOrganization[];
}

export interface LivingDemoOptions {
  plan: HistoryPlan;
  /** No new requests after the history. */
  quiet: boolean;
  signal: AbortSignal;
  onLine: (line: string) => void;
}

interface Progress {
  org_id: string;
  began_at: string;
  is_complete: boolean;
}

const ORDERS_PER_CALL = 100;
/** Leaves the machine to others between two calls. */
const REST_MS = 100;
const RETRY_MS = 3_000;
const MAX_TRIES = 40;
const TRICKLE_MS = 60_000;

/** Resolves when everything is written (`quiet`), or when the signal aborts. */
export async function liveDemo(target: DemoTarget, options: LivingDemoOptions): Promise<void> {
  const { signal, onLine } = options;
  const receiver = await DemoReceiver.start();
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await fill(target, receiver, options);
        break;
      } catch (error) {
        if (signal.aborted) return;
        // A service that restarts is not a reason to give up; a mistake of ours is.
        if (tries === MAX_TRIES) throw error;
        await pause(RETRY_MS, undefined, { signal });
      }
    }
    if (!options.quiet) await trickle(target, options);
  } catch (error) {
    if (!signal.aborted)
      onLine(`demo data is incomplete: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    receiver.close();
  }
}

async function fill(target: DemoTarget, receiver: DemoReceiver, options: LivingDemoOptions): Promise<void> {
  const progress = readProgress(target);
  const products = readProducts();
  const [first] = target.organizations;
  if (!first) return;
  if (!progress.is_complete) {
    for (const organization of target.organizations) {
      await stockProducts(clientOf(target, organization), organization, products, options.signal);
    }
    const now = new Date(progress.began_at);
    await writeHistory(target, { ...options, products, now });
    options.onLine('demo data is complete');
    writeJson(progressFile(target), { ...progress, is_complete: true });
  }
  // After the history, so receivers get later events only.
  await receiver.subscribe(clientOf(target, first));
}

async function writeHistory(
  target: DemoTarget,
  { plan, products, now, signal }: LivingDemoOptions & { products: readonly DemoProduct[]; now: Date },
): Promise<void> {
  const platform = await Platform.connect(target.operator);
  try {
    const requests = pastRequests(plan, products, now);
    const approved = requests.filter(({ row }) => row.decision?.status === 'approved').length;
    const orders = pastOrders(plan.orders - approved, products, now);
    for (const [place, { org_id, shops }] of target.organizations.entries()) {
      for (const batch of batchesOf(inShops(requests, place, shops), MAX_IMPORTED_REQUESTS)) {
        await platform.call(importHistory, { org_id, orders: [], requests: batch });
        await pause(REST_MS, undefined, { signal });
      }
      for (const batch of batchesOf(inShops(orders, place, shops), ORDERS_PER_CALL)) {
        await platform.call(importHistory, { org_id, orders: batch, requests: [] });
        await pause(REST_MS, undefined, { signal });
      }
    }
  } finally {
    await platform.close();
  }
}

/** The rows of one organization, with the ids of its shops. Each organization of the demo has as many shops. */
function inShops<Row extends { shop_id: string }>(
  rows: readonly Placed<Row>[],
  organization: number,
  shops: DemoOrganization['shops'],
): (Omit<Row, 'shop_id'> & { shop_id: string })[] {
  return rows.flatMap(({ shop, row }) => {
    const own = shops[shop - organization * shops.length];
    return own ? [{ ...row, shop_id: own.shop_id }] : [];
  });
}

function batchesOf<Row>(rows: readonly Row[], size: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

/** One request a minute. Its reference is the minute, so that two starts within one do not double it. */
async function trickle(target: DemoTarget, { signal, onLine }: LivingDemoOptions): Promise<void> {
  const products = readProducts();
  let isFailing = false;
  for (;;) {
    await pause(TRICKLE_MS, undefined, { signal });
    try {
      await submitOne(target, products, new Date());
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        onLine(`the demo's request was not taken: ${error instanceof Error ? error.message : String(error)}`);
      isFailing = true;
    }
  }
}

export async function submitOne(
  target: DemoTarget,
  products: readonly DemoProduct[],
  now: Date,
): Promise<void> {
  const minute = Math.floor(now.getTime() / TRICKLE_MS);
  const wish = { reference: `DEMO-T-${minute}`, ageMinutes: 0 };
  const { reference, source, payload } = makeRequest(wish, products, now);
  const shops = target.organizations.flatMap((organization) =>
    organization.shops.map(({ shop_id }) => ({ organization, shop_id })),
  );
  const chosen = shops[new Random(`shop of ${reference}`).weighted(SHOP_SHARES)];
  if (!chosen) return;
  const { orderRequests } = clientOf(target, chosen.organization);
  const whole = { ...payload, shop_id: chosen.shop_id };
  await orderRequests.submit({ external_reference: reference, source, payload: whole });
}

function clientOf({ gatewayUrl: baseUrl }: DemoTarget, { api_key: apiKey }: DemoOrganization): Offizin {
  return new Offizin({ baseUrl, apiKey });
}

/** Starts over when the organizations are others: the database was replaced. */
function readProgress(target: DemoTarget): Progress {
  const org_id = target.organizations[0]?.org_id ?? '';
  const file = progressFile(target);
  if (existsSync(file)) {
    const progress = JSON.parse(readFileSync(file, 'utf8')) as Progress;
    if (progress.org_id === org_id) return progress;
  }
  const progress = { org_id, began_at: new Date().toISOString(), is_complete: false };
  writeJson(progressFile(target), progress);
  return progress;
}

function progressFile({ dataDir }: DemoTarget): string {
  return join(dataDir, 'demo-history.json');
}
