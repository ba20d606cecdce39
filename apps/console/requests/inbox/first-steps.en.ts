import type { firstSteps as german } from './first-steps.de';

export const firstSteps: typeof german = {
  title: 'First steps',
  done: 'Done',
  open: 'Open',
  step: {
    shop: 'Create a shop',
    products: 'Add products',
    key: 'Create a key',
    team: 'Invite staff',
  },
  why: {
    shop: 'Partners send their requests to its domain.',
    products: 'With stock and price, so that requests can be checked.',
    key: 'Your ERP system and your partners use it to connect.',
    team: 'Everyone has their own account and role.',
  },
  hide: 'Do not show again',
};
