import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { isControlled, type ReviewProduct } from '@offizin/contracts/requests/review-products';
import type { FourEyesRule } from '@offizin/contracts/requests/review-settings';
import type { Sql } from '@offizin/pg/database';
import { productsNamed, reviewProducts } from './products.store';

/** The review settings are order-core's. Throws `Unreachable`. */
export type AskFourEyes = (caller: Caller) => Promise<FourEyesRule>;

/** The values that two-person approval looks at; left out they stay. */
interface Judged {
  name?: unknown;
  category?: unknown;
}

/** A product of the organization, or as a shop shows it. */
interface Place {
  p1Id: string;
  shopId?: string;
}

/** The rule that a change must not undermine; null when the caller may, or when nothing is judged. */
export type Watch = FourEyesRule | null;

/**
 * Who could hide a controlled product from two-person approval could then write it into an order alone. So while two
 * people approve, only an owner, or an API key with settings.write, takes category or name of a controlled product
 * away, or gives its name to another one.
 */
export class FourEyesGuard {
  constructor(private readonly ask: AskFourEyes) {}

  /** Called before the transaction, which must not wait for order-core. */
  async watch(caller: Caller, given: Judged): Promise<Watch> {
    if (given.name === undefined && given.category === undefined) return null;
    if (isOwner(caller)) return null;
    const rule = await this.ask(caller).catch((failure: unknown) => {
      throw new Unreachable(
        'service_unavailable',
        'order-core does not answer, so nobody knows whether two people approve here. Nothing was changed.',
        failure,
      );
    });
    return rule.four_eyes === 'off' ? null : rule;
  }
}

/** The caller has locked the row that `write` changes. Throws `Refused`, which takes the change back. */
export async function watched<T>(
  tx: Sql,
  { caller, watch }: { caller: Caller; watch: Watch },
  place: Place,
  write: () => Promise<T>,
): Promise<T> {
  if (!watch) return write();
  const { p1Id, shopId } = place;
  const read = async () => (await reviewProducts(tx, caller.orgId, [p1Id], shopId))[0];
  const before = await read();
  const written = await write();
  const after = await read();
  if (!before || !after) return written;
  const listed = watch.four_eyes_categories;
  const gained = without(after.names, before.names);
  const isHidden =
    isControlled(before, listed) &&
    (!isControlled(after, listed) || without(before.names, after.names).length > 0);
  if (isHidden || (await isTaken(tx, caller.orgId, { p1Id, names: gained, listed }))) requireOwner(caller);
  return written;
}

function without(names: readonly string[] = [], others: readonly string[] = []): string[] {
  return names.filter((name) => !others.includes(name));
}

/** Whether another product that is controlled is called so, anywhere in the organization or the catalog. */
async function isTaken(
  tx: Sql,
  orgId: string,
  { p1Id, names, listed }: { p1Id: string; names: readonly string[]; listed: readonly string[] },
): Promise<boolean> {
  if (names.length === 0) return false;
  const read = new Set(names.map(asRead));
  const same = ({ names: known = [] }: ReviewProduct): boolean =>
    known.some((name) => read.has(asRead(name)));
  const found = await productsNamed(tx, orgId, p1Id, names);
  return found.some((product) => same(product) && isControlled(product, listed));
}

/** Equal for names that a person reads as the same: without case, invisible characters, width and punctuation. */
function asRead(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Cf}/gu, '');
  return visible
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export function requireOwner(caller: Caller): void {
  if (isOwner(caller)) return;
  const message = `Taking THC, category or name of a controlled product away, or giving its name to another one, needs the scope ${scopeFor(caller)}.`;
  throw new Refused('insufficient_scope', message);
}

function isOwner(caller: Caller): boolean {
  return caller.scopes.includes(scopeFor(caller));
}

function scopeFor({ kind }: Caller): 'review.settings' | 'settings.write' {
  return kind === 'staff' ? 'review.settings' : 'settings.write';
}
