import type { unpaid as german } from './unpaid.de';

export const unpaid: typeof german = {
  due: (count, written) =>
    count === 1
      ? '1 order has waited for its payment for 7 days or longer'
      : `${written} orders have waited for their payment for 7 days or longer`,
};
