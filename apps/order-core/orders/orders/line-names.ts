import type { Caller } from '@offizin/contracts/calls/caller';
import { MAX_LINES_BYTES, MAX_ORDER_ITEMS } from '@offizin/contracts/orders/orders';
import { bytesOfLines, type StoredItem } from './order-patch';

/** Names of the catalog's products; null when it does not answer. */
export interface ProductNames {
  productsOf(caller: Caller, p1Ids: readonly string[]): Promise<readonly ProductName[] | null>;
}

interface ProductName {
  p1_id: string;
  name: string;
}

/** Null when the catalog does not answer. */
type AskNames = (p1Ids: readonly string[]) => Promise<readonly ProductName[] | null>;

/** A line as sent or as stored. */
type NamedLine = Partial<Pick<StoredItem, 'p1_id' | 'name'>>;

/** The catalog for the members of one batch: asked once for each product, and no more after it did not answer. */
export class BatchNames {
  private readonly asked = new Set<string>();
  private readonly known = new Map<string, ProductName>();
  private isSilent = false;

  constructor(private readonly ask: AskNames) {}

  /** Afterwards `productsOf` knows the products of these lines without a call. */
  async learn(items: readonly NamedLine[]): Promise<void> {
    await this.learnProducts(idsWithoutName(items));
  }

  readonly productsOf: AskNames = async (p1Ids) => {
    await this.learnProducts(p1Ids);
    return p1Ids.flatMap((id) => this.known.get(id) ?? []);
  };

  private async learnProducts(p1Ids: readonly string[]): Promise<void> {
    const further = [...new Set(p1Ids)].filter((id) => !this.asked.has(id));
    for (let start = 0; start < further.length && !this.isSilent; start += MAX_ORDER_ITEMS) {
      const ids = further.slice(start, start + MAX_ORDER_ITEMS);
      const products = await this.ask(ids);
      this.isSilent ||= products === null;
      for (const product of products ?? []) this.known.set(product.p1_id, product);
      for (const id of ids) this.asked.add(id);
    }
  }
}

/**
 * Lines by id alone get the name of the stored line of their product, so that a repeat without names changes nothing, else
 * that of the catalog. `stored` is read, and the catalog asked, only where a line lacks its name.
 */
export async function namedItems(
  items: StoredItem[],
  stored: () => Promise<{ items: readonly StoredItem[] } | null>,
  productsOf: AskNames,
): Promise<StoredItem[]> {
  if (!items.some(lacksName)) return items;
  const known = namedAsStored(items, (await stored())?.items ?? []);
  const ids = idsWithoutName(known);
  return ids.length === 0 ? known : namedLines(known, (await productsOf(ids)) ?? []);
}

export function idsWithoutName(items: readonly NamedLine[]): string[] {
  return items.flatMap((item) => (lacksName(item) ? (item.p1_id ?? []) : []));
}

/** Lines by id only get the name of their product; none does where the names would make the lines too large. */
export function namedLines(items: StoredItem[], products: readonly ProductName[]): StoredItem[] {
  const names = new Map(products.map(({ p1_id, name }) => [p1_id, name]));
  const named = items.map((item) =>
    lacksName(item) ? { ...item, name: names.get(item.p1_id ?? '') ?? item.name } : item,
  );
  return bytesOfLines(named) <= MAX_LINES_BYTES ? named : items;
}

/** Of several stored lines of a product the first names the first sent line of it, the second the second. */
function namedAsStored(items: StoredItem[], stored: readonly StoredItem[]): StoredItem[] {
  const names = new Map<string | null, (string | null)[]>();
  for (const { p1_id, name } of stored) {
    const ofProduct = names.get(p1_id);
    if (ofProduct) ofProduct.push(name);
    else names.set(p1_id, [name]);
  }
  const named = items.map((item) => {
    const [first, ...rest] = names.get(item.p1_id) ?? [];
    if (rest.length > 0) names.set(item.p1_id, rest);
    return lacksName(item) ? { ...item, name: first ?? item.name } : item;
  });
  return bytesOfLines(named) <= MAX_LINES_BYTES ? named : items;
}

function lacksName({ p1_id: p1Id = null, name }: NamedLine): boolean {
  return p1Id !== null && !name?.trim();
}
