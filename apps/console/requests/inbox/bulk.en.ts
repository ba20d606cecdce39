import type { bulk as german } from './bulk.de';

const many = (count: number, written: string) => (count === 1 ? '1 request' : `${written} requests`);

export const bulk: typeof german = {
  many,
  acts: (count, written) => `${many(count, written)} selected`,
  clear: (count) => `Clear selection (${count})`,
  tooMany: (most) => `At most ${most} at a time: please select fewer.`,
  save: 'Save as table',
  erased: (count, written) =>
    `No question is possible for ${many(count, written)}: the customer’s data has been erased.`,
  rejects: (count, written) => `${many(count, written)} will be rejected.`,
  reject: (count, written) => `Reject ${many(count, written)}`,
  held: {
    ask: (count, written) =>
      count === 1 ? 'The question is being sent.' : `${written} questions are being sent.`,
    reject: (count, written) => `${many(count, written)} ${count === 1 ? 'is' : 'are'} being rejected.`,
  },
  running: (done, count) => `${done} of ${count} …`,
  done: {
    ask: (done, refused) => `Questions sent: ${done}.${refused === 0 ? '' : ` Not sent: ${refused}.`}`,
    reject: (done, refused) => `Rejected: ${done}.${refused === 0 ? '' : ` Not rejected: ${refused}.`}`,
  },
  refused: 'Not decided',
};
