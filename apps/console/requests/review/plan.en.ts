import type { PlanTexts } from './plan.de';

/** English texts of the dialog that assigns or parks a request. */
export const plan: PlanTexts = {
  plan: 'Plan',
  title: (customer) => `Plan: ${customer}`,
  person: 'Another person',
  nobody: 'Assigned to nobody.',
  assigned: (name) => `Assigned to ${name}.`,
  parked: (at) => `Parked until ${at}.`,
  take: 'Assign to me',
  leave: 'No longer assign to me',
  later: (at) => `Later today, ${at}`,
  morning: (at) => `Tomorrow morning, ${at}`,
  now: 'Open again',
  changed: 'Somebody else has planned the request meanwhile. Look again.',
};
