import { useState } from 'react';
import type { FilterChip } from '../controls/list-head';
import { type Choice, filterPicker } from '../controls/picker';
import { DAYS, monthsBefore } from '../text/berlin-day';
import { useFormats, useTexts } from '../text/texts';
import { useSession } from '../session/session.calls';

interface ShopFilter {
  pickers: Choice[];
  chips: FilterChip[];
}

/** Of a list: a picker where there is a choice, and the shop of the address as a chip: pickers may be folded. */
export function useShopFilter(
  chosen: string | undefined,
  onChoose: (shopId: string | undefined) => void,
): ShopFilter {
  const texts = useTexts().filters;
  const { shops } = useSession();
  const choices = shops.map(({ shop_id: id, name }) => ({ id, name }));
  const known = choices.find(({ id }) => id === chosen);
  const picker = filterPicker({
    label: texts.shop,
    all: texts.allShops,
    choices,
    chosen: known?.id,
    onChoose,
  });
  const name = texts.named(texts.shop, known?.name ?? chosen ?? '');
  return {
    pickers: choices.length > 1 ? [picker] : [],
    chips: chosen === undefined ? [] : [{ name, onRemove: () => onChoose(undefined) }],
  };
}

const MONTHS = 12;

interface PeriodTexts {
  period: string;
  always: string;
  lastDays: (days: string) => string;
}

/** Of a list: the last days or a month. A month of the address that is older is a choice, too. */
export function usePeriodFilter(
  period: string | undefined,
  onChoose: (period: string | undefined) => void,
  texts: PeriodTexts,
): Choice {
  const formats = useFormats();
  const [months] = useState(() => monthsBefore(Date.now(), MONTHS));
  const shown = period === undefined || [...DAYS, ...months].includes(period) ? months : [...months, period];
  return filterPicker({
    label: texts.period,
    all: texts.always,
    choices: [
      ...DAYS.map((id) => ({ id, name: texts.lastDays(id) })),
      ...shown.map((id) => ({ id, name: formats.month(id) })),
    ],
    chosen: period,
    onChoose,
  });
}
