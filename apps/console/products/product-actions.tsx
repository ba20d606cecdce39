import type { Shop } from '@offizin/contracts/products';
import { ActionBar } from '../controls/action-bar';
import { Button } from '../controls/button';
import { sentenceOf } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { toasts } from '../shell/toasts';
import { useBlocked } from '../shell/use-blocked';
import { useTexts } from '../text/texts';
import type { Product } from './layers';
import { useProductTexts } from './product-texts';
import { attach, type Place } from './products.calls';
import { useChange } from './use-change';

/** What a dialog is opened for: the values of a layer, or the question before a product leaves the shop. */
export type AskedKind = 'shop' | 'organization' | 'detach';

interface Props {
  product: Product;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  place: Place;
  onAsk: (kind: AskedKind) => void;
}

/** What can be done with the product that is on the screen; in every layout in the same place. */
export function ProductActions({ product, shop, place, onAsk }: Props) {
  const texts = useProductTexts();
  const shared = useTexts();
  const blocked = useBlocked('products.write', texts);
  const { attached, name, stock_quantity: pieces } = product;
  const { mutate, isPending } = useChange(() => attach(place), {
    said: texts.attachedNow(name, shop.name),
    onError: (error) => {
      toasts.show({ text: texts.failed(name, sentenceOf(error, shared)), tone: 'failure' });
    },
  });
  const hasStock = pieces > 0;
  const isAllowed = blocked === null;
  const inOrOut = attached
    ? { keys: 'd', does: texts.detach, kind: 'danger' as const, can: isAllowed, act: () => onAsk('detach') }
    : {
        keys: 'a',
        does: texts.attach,
        kind: 'main' as const,
        can: isAllowed && hasStock,
        act: () => mutate(),
      };
  const values = [
    { keys: 'e', does: texts.editShop, can: isAllowed && attached, act: () => onAsk('shop') },
    { keys: 'Shift e', does: texts.editOrganization, can: isAllowed, act: () => onAsk('organization') },
  ].map((act) => ({ ...act, kind: 'plain' as const }));
  const acts = [inOrOut, ...values].map((act) => ({ ...act, run: () => act.can && act.act() }));
  useKeys('page', acts);
  const reason = attached ? null : hasStock ? texts.blockedDetached : texts.blockedStock;
  return (
    <ActionBar label={texts.acts} blocked={blocked ?? reason}>
      {acts.map(({ keys, does, kind, can, run }) => (
        <Button
          key={keys}
          shortcut={keys}
          kind={kind}
          isPending={kind === 'main' && isPending}
          isDisabled={!can}
          onPress={run}
        >
          {does}
        </Button>
      ))}
    </ActionBar>
  );
}
