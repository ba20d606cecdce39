import type { LiveTexts } from './live-de';

export const liveTexts: LiveTexts = {
  openAt: (names) => `Open at the moment: ${names}`,
  shared: (names) => `Also open at the moment: ${names}. Approve all the same?`,
  sharedTitle: (customer) => `Approve: ${customer}`,
  approve: 'Approve',
  cancel: 'Cancel',
  news: (count) => `${count} new`,
  showNews: 'Show new requests',
  decided: {
    'order-request.approve': (name, at) => `${name} approved it at ${at}.`,
    'order-request.reject': (name, at) => `${name} rejected it at ${at}.`,
  },
  newVersion: (version) => `The partner has sent version ${version} meanwhile. Please check it.`,
};
