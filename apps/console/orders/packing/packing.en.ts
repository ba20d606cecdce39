import type { PackingTexts } from './packing.de';

export const packing: PackingTexts = {
  about: 'One order after the other, the oldest first.',
  waiting: (count, written) => (count === 1 ? '1 order to pack' : `${written} orders to pack`),
  none: 'Everything is packed',
  noneHint: 'New orders appear here automatically.',
  noneInShop: 'Everything in this shop is packed',
  sounds: 'Sounds',
  scanner: 'Scanner',
  setUp: {
    title: 'Set up the scanner',
    about:
      'A scanner types like a keyboard. If it is set to another country than this device, some characters arrive swapped. Scan this code once from the screen or from paper: this device then reads them correctly.',
    image: 'Code for setting up',
    field: 'Scan here',
    state: {
      same: 'Set up: scanner and device have the same keyboard.',
      us_on_german: 'Set up: the scanner types on a US keyboard, the device has a German one.',
      german_on_us: 'Set up: the scanner types on a German keyboard, the device has a US one.',
    },
    none: 'Not set up yet.',
    wrong: (code) =>
      `This is not the code above, or the scanner types on a keyboard that is unknown here. Read: ${code}. Please check Caps Lock, or set the scanner to this device’s keyboard as its manual describes.`,
    notKept:
      'The browser did not store the setting, so the scanner is not set up. Please allow this page to store data.',
    print: 'Print',
  },
  code: 'Product code',
  order: 'Order at the packing station',
  lines: 'Lines',
  counted: (count, of) => `${count} of ${of}`,
  nowCounted: ({ product, count, of, code }) => `${product}: ${count} of ${of} (${code})`,
  complete: 'complete',
  noCode: 'No product number: please count by hand.',
  more: 'One more',
  less: 'One less',
  all: 'All',
  of: (act, product) => `${act}: ${product}`,
  nextLine: 'Next line',
  previousLine: 'Previous line',
  notes: 'Notes',
  packedBefore: (who, at) => `Already marked as packed by ${who}, ${at}`,
  done: 'Packed, print, next',
  skip: 'Next order',
  back: 'Previous order',
  acts: 'Actions',
  wrong: 'Wrong product',
  wrongWhy: (code, product) =>
    product === null
      ? `${code} is not part of this order.`
      : `${product} is not part of this order (${code}).`,
  full: 'Already complete',
  fullWhy: (product) => `All pieces of ${product} are already in the parcel.`,
  expired: 'Expired',
  expiredWhy: (product, day) =>
    `${product} was good until ${day} only. This pack must not go into the parcel.`,
  held: 'Lot on hold',
  heldWhy: (product, lot, reason) =>
    `${product}: lot ${lot} is on hold (${reason}). This pack must not go into the parcel.`,
  notWritten: 'Not packed',
  notWrittenWhy: (why) => `${why} The order is not packed yet: please try again.`,
  heldLots: (lots) => `Do not pack, lot on hold: ${lots}`,
  pieces: (count) => `${count} ×`,
  lotBefore: 'packed before',
  lotHeld: 'on hold',
  noLot: (lot) => `Remove lot ${lot}`,
  withoutLot: (count) => `${count} without a lot`,
  linesWithoutLots: (lines) =>
    lines === 1
      ? 'One line has packs without a lot. You can still pack the order, but a recall will not find those packs.'
      : `${lines} lines have packs without a lot. You can still pack the order, but a recall will not find those packs.`,
  typeLot: 'Record lot',
  typed: {
    title: (product) => `Record lot: ${product}`,
    lot: 'Lot',
    lotHint: 'As it is printed on the tin or written in the manufacturing record.',
    lotMistake: 'A lot has 1 to 20 characters, at least one letter or digit, and no double spaces.',
    test: 'Test number (optional)',
    day: 'Expiry date (optional)',
    quantity: (most) => `Quantity (at most ${most})`,
    quantityMistake: (most) => `Please enter a whole number from 1 to ${most}.`,
    expired: (day) => `Expired: good until ${day} only. These packs must not go into the parcel.`,
    held: (lot, reason) => `Lot ${lot} is on hold (${reason}). These packs must not go into the parcel.`,
    save: 'Add',
  },
  noParcel: 'Parcel not added',
  garbage: 'Unreadable code',
  garbageWhy: 'The scanner sent no readable code. Please scan again, type the code or count by hand.',
  unreadableWhy: (why, code) => `${why} Read: ${code}. Please scan again, type the code or count by hand.`,
  unclear: (code) => `${code} stands for two products of this order. Please count this piece by hand.`,
  unanswered: (code) => `The server did not answer for ${code}. Please scan again.`,
  stopped: 'Not counted',
  stray: 'No order was open. Please open one and scan again.',
  understood: 'Understood',
  changed: 'The order has changed while you were packing',
  goOn: 'Use the new version',
  blockedChanged: 'The order has changed: please switch to the new version first.',
  blockedAlarm: 'Please confirm the warning first.',
  blockedHeld: (lot, reason) =>
    `Lot ${lot} has been put on hold (${reason}): please take its packs out of the parcel, remove the lot here, and reduce the pieces counted.`,
  blockedExpired: (lot, day) =>
    `Lot ${lot} was good until ${day} only: please take its packs out of the parcel, remove the lot here, and reduce the pieces counted.`,
  blockedOpen: (lines) =>
    lines === 1 ? 'One line is not complete yet.' : `${lines} lines are not complete yet.`,
  blockedStatus: (status) => `This order no longer needs packing. Status: ${status}.`,
  blockedEmpty: 'The order has no lines.',
};
