import { useState } from 'react';
import type { Choice } from '../controls/picker';
import { DAYS, monthsBefore } from '../text/period';
import { useFormats } from '../text/texts';

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
  return {
    label: texts.period,
    choices: [
      { id: '', name: texts.always },
      ...DAYS.map((id) => ({ id, name: texts.lastDays(id) })),
      ...shown.map((id) => ({ id, name: formats.month(id) })),
    ],
    chosen: period ?? '',
    onChoose: (id) => {
      onChoose(id === '' ? undefined : id);
    },
  };
}
