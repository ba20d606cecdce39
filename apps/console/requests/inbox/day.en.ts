import type { day as german } from './day.de';

export const day: typeof german = {
  title: 'Today’s check',
  on: 'Day',
  hint: 'Everything that was approved on this day. Another person goes through it once more.',
  notKept: 'Ticks are not saved: they are in this window only. To keep them, print the list.',
  none: 'Nothing was approved on this day.',
  ticked: (done, count) => `${done} of ${count} ticked`,
  cut: (shown, total) => `Only the first ${shown} of ${total} are here.`,
  print: 'Print',
  back: 'To the list',
  seen: 'Checked',
  tick: (customer) => `${customer} checked`,
  at: 'Time',
  customer: 'Customer',
  lines: 'Lines',
  more: (count) => `… and ${count} more`,
  by: 'Approved by',
  both: (first, second) => `${first} and ${second}`,
  order: 'Order',
  cancelled: 'Cancelled',
  signature: 'Checked: date, signature',
};
