import type {
  OrderColumn,
  View,
  ViewParameter,
  ViewQuery,
  ViewScreen,
} from '@offizin/contracts/console/views';

/** What a view keeps of an address. Typed text is not kept: an erasure must reach every copy of a name. */
const KEPT: Readonly<Record<ViewScreen, readonly ViewParameter[]>> = {
  requests: ['tab', 'flag', 'assigned', 'status', 'source', 'shop', 'sort'],
  orders: ['status', 'payment', 'shop', 'sort'],
  stock: ['low'],
  products: ['shop', 'attached'],
  prescriptions: ['shop', 'period'],
  deliveries: ['status', 'kind', 'endpoint', 'period'],
  audit: ['who', 'what', 'period'],
};
const TYPED = ['q', 'email', 'object', 'order'];
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** As the contract has them: other sources and actors are left out, as typed text is. */
export const FORMS: Readonly<Partial<Record<string, RegExp>>> = {
  source: new RegExp(`^([\\w.-]{1,64}|shop:${UUID})$`, 'i'),
  who: new RegExp(`^(staff|key|integration):${UUID}$`, 'i'),
};

/** The part after "?" as its screen has read it. */
export type Address = Readonly<Record<string, string | undefined>>;

export interface ViewsProps {
  screen: ViewScreen;
  address: Address;
  /** Of the table; empty: the usual ones. */
  columns: readonly OrderColumn[];
  /** `isStep`: "back" leads to the address before. */
  onShow: (address: Address, isStep: boolean) => void;
}

export function keptOf(screen: ViewScreen, address: Address): ViewQuery {
  const kept = KEPT[screen].flatMap((name) => {
    const value = address[name];
    return value === undefined || !isKept(name, value) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept);
}

function isKept(name: string, value: string): boolean {
  return FORMS[name]?.test(value) ?? true;
}

/** Whether something of the address is not kept. */
export function hasTyped(address: Address): boolean {
  return Object.entries(address).some(
    ([name, value]) => value !== undefined && (TYPED.includes(name) || !isKept(name, value)),
  );
}

/** The address of the screen under a view. */
export function addressOf(screen: ViewScreen, { id, query }: Pick<View, 'id' | 'query'>): Address {
  return { ...keptOf(screen, { ...query }), view: id };
}

/** Whether filter, sort or columns of the screen are no longer those of its view. */
export function isChanged(view: View, address: Address, columns: readonly OrderColumn[]): boolean {
  const [one, other] = [keptOf(view.screen, { ...view.query }), keptOf(view.screen, address)];
  const differs = KEPT[view.screen].some((name) => one[name] !== other[name]);
  return differs || view.columns.join() !== columns.join();
}
