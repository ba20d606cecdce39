import { Refused } from '@offizin/contracts/calls/errors';
import type { ReservationLine, ReserveBody } from '@offizin/contracts/products/reservations';
import type { Sql } from '@offizin/pg/database';
import { changeReservedOf, lockStocks } from '../inventory/stock.store';
import { canonicalLines, decideHold, furtherLines, holdsStock, planHold, sumLines } from './hold-plan';
import {
  linesOfReservations,
  lockOrMakeReservations,
  replaceLines,
  type Reservation,
  type ReservationHold,
  saveHolds,
} from './reservations.store';

/** Why the hold is refused, or the products that lack stock, none for a hold; `isStocked`: it holds a line of the inventory. */
export type HoldOutcome = Refused | { short: string[]; isStocked: boolean };

export const NOTHING_HELD: HoldOutcome = { short: [], isStocked: false };

interface Hold {
  body: ReserveBody;
  stored: Reservation;
  /** The lines that the reservation holds. */
  held: readonly ReservationLine[];
  /** The lines to hold; of a claim, the difference to those of its order. */
  requested: readonly ReservationLine[];
  /** The claim keeps pieces that its order holds. */
  keepsSome: boolean;
}

/**
 * Racing holds, of different requests, in one transaction: they would only wait for each other's products and commit.
 * Each is decided in its turn and has its own outcome.
 */
export async function holdTogether(tx: Sql, members: readonly ReserveBody[]): Promise<HoldOutcome[]> {
  const reservations = await lockOrMakeReservations(tx, members);
  const saved: ReservationHold[] = [];
  const outcomes = new Map<ReserveBody, HoldOutcome>();
  const asking: { body: ReserveBody; stored: Reservation }[] = [];
  const kept: ReserveBody[] = [];
  for (const body of members) {
    const stored = reservations.get(body.order_request_id.toLowerCase());
    if (!stored) throw new Error('the database returned no reservation');
    const decision = decisionOf(stored, body);
    if (decision === 'hold') asking.push({ body, stored });
    else if (decision instanceof Refused) outcomes.set(body, decision);
    else kept.push(body);
    if (decision === 'renew') saved.push(holdOf(body, 'held'));
  }
  for (const [body, outcome] of await holdInTurn(tx, asking, reservations)) {
    outcomes.set(body, outcome);
    if (!(outcome instanceof Refused))
      saved.push(holdOf(body, outcome.short.length === 0 ? 'held' : 'released'));
  }
  await saveHolds(tx, saved);
  const lines = await linesOfReservations(
    tx,
    kept.map((body) => body.order_request_id),
  );
  for (const body of kept)
    outcomes.set(body, { short: [], isStocked: lines.has(body.order_request_id.toLowerCase()) });
  return members.map((body) => outcomes.get(body) ?? NOTHING_HELD);
}

function decisionOf(stored: Reservation, body: ReserveBody): 'settled' | 'renew' | 'hold' | Refused {
  if (stored.org_id !== body.org_id.toLowerCase())
    return new Refused('conflict', 'This order request belongs to another organization.');
  const decision = decideHold(stored, body.attempt, canonicalLines(body.lines));
  if (decision !== 'outdated') return decision;
  return new Refused('conflict', `Attempt ${stored.attempt} has taken over from ${body.attempt}.`);
}

function holdOf(body: ReserveBody, state: 'held' | 'released'): ReservationHold {
  const { order_request_id: orderRequestId, attempt, lines, replaces = null } = body;
  return { orderRequestId, attempt, state, requestedLines: canonicalLines(lines), replaces };
}

/** Replaces the holds of earlier attempts. `reservations`: by id, also those that claims replace. */
async function holdInTurn(
  tx: Sql,
  asking: readonly { body: ReserveBody; stored: Reservation }[],
  reservations: ReadonlyMap<string, Reservation>,
): Promise<Map<ReserveBody, HoldOutcome>> {
  const outcomes = new Map<ReserveBody, HoldOutcome>();
  const lines = await linesOfReservations(
    tx,
    asking.flatMap(({ body: { replaces }, stored }) => [
      ...(holdsStock(stored.state) ? [stored.order_request_id] : []),
      ...(replaces ? [replaces] : []),
    ]),
  );
  const holds: Hold[] = [];
  for (const { body, stored } of asking) {
    const id = body.replaces?.toLowerCase() ?? '';
    const asked = linesBesideReplaced(body, reservations.get(id), lines.get(id) ?? []);
    const held = holdsStock(stored.state) ? (lines.get(stored.order_request_id) ?? []) : [];
    if (asked instanceof Refused) outcomes.set(body, asked);
    else holds.push({ body, stored, ...asked, held });
  }
  const stocks = await lockedStocks(tx, holds);
  const changes: { orgId: string; p1Id: string; delta: number }[] = [];
  const plans = holds.map(({ body, stored, held, requested, keepsSome }) => {
    const orgId = stored.org_id;
    const products = sumLines([...held, ...requested]).flatMap(
      ({ p1_id }) => stocks.get(`${orgId} ${p1_id}`) ?? [],
    );
    const plan = planHold(products, held, requested);
    for (const [p1Id, delta] of plan.deltas) {
      const stock = stocks.get(`${orgId} ${p1Id}`);
      if (stock) stock.reserved_quantity += delta;
      changes.push({ orgId, p1Id, delta });
    }
    const isHeld = plan.short.length === 0;
    outcomes.set(body, { short: plan.short, isStocked: isHeld && (keepsSome || plan.lines.length > 0) });
    return { orgId, orderRequestId: stored.order_request_id, isNew: stored.attempt < 0, lines: plan.lines };
  });
  await changeReservedOf(tx, changes);
  await replaceLines(tx, plans);
  return outcomes;
}

/** The requested lines; of a claim, those further than the lines of the reservation that it replaces. */
function linesBesideReplaced(
  body: ReserveBody,
  replaced: Reservation | undefined,
  linesBefore: readonly ReservationLine[],
): Pick<Hold, 'requested' | 'keepsSome'> | Refused {
  const requested = sumLines(body.lines);
  if (!replaced) return { requested, keepsSome: false };
  if (replaced.org_id !== body.org_id.toLowerCase())
    return new Refused('conflict', 'The reservation to replace belongs to another organization.');
  if (replaced.state === 'replaced')
    return new Refused('conflict', 'Another change of the order has replaced that reservation meanwhile.');
  if (replaced.state === 'released') return { requested, keepsSome: false };
  // The commit of a claim that reopens the order books back what was sold.
  const products = new Set(linesBefore.map(({ p1_id }) => p1_id));
  const keepsSome = requested.some(({ p1_id }) => products.has(p1_id));
  return { requested: furtherLines(requested, linesBefore), keepsSome };
}

async function lockedStocks(tx: Sql, holds: readonly Hold[]) {
  const keys = new Map(
    holds.flatMap(({ stored: { org_id: orgId }, held, requested }) =>
      [...held, ...requested].map(({ p1_id: p1Id }) => [`${orgId} ${p1Id}`, { orgId, p1Id }] as const),
    ),
  );
  const locked = keys.size === 0 ? [] : await lockStocks(tx, [...keys.values()]);
  return new Map(locked.map((stock) => [`${stock.org_id} ${stock.p1_id}`, stock]));
}
