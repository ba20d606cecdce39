import type { FilterChip } from '../controls/list-head';
import type { Choice } from '../controls/picker';
import { useTexts } from '../text/texts';
import { useSession } from './session.calls';

interface ShopFilter {
  pickers: Choice[];
  chips: FilterChip[];
}

/** Of a list: a picker where there is a choice, and a chip for a shop of the address that the picker does not have. */
export function useShopFilter(
  chosen: string | undefined,
  onChoose: (shopId: string | undefined) => void,
): ShopFilter {
  const texts = useTexts().filters;
  const { shops } = useSession();
  const choices = shops.map(({ shop_id: id, name }) => ({ id, name }));
  const known = choices.find(({ id }) => id === chosen);
  const isPicked = choices.length > 1 && (chosen === undefined || known !== undefined);
  const onRemove = () => {
    onChoose(undefined);
  };
  return {
    pickers:
      choices.length > 1
        ? [
            {
              label: texts.shop,
              choices: [{ id: '', name: texts.allShops }, ...choices],
              chosen: known?.id ?? '',
              onChoose: (id) => {
                onChoose(id === '' ? undefined : id);
              },
            },
          ]
        : [],
    chips:
      chosen === undefined || isPicked
        ? []
        : [{ name: texts.named(texts.shop, known?.name ?? chosen), onRemove }],
  };
}
