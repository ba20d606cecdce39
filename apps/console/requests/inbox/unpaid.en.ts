import type { unpaid as german } from './unpaid.de';

export const unpaid: typeof german = {
  due: (count, written) =>
    count === 1
      ? '1 order has been waiting for payment for 7 days or more'
      : `${written} orders have been waiting for payment for 7 days or more`,
};
