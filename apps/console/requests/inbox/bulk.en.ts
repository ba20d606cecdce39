import type { bulk as german } from './bulk.de';

const many = (count: number, written: string) => (count === 1 ? '1 request' : `${written} requests`);

export const bulk: typeof german = {
  many,
  acts: (count, written) => `${many(count, written)} selected`,
  clear: (count) => `Deselect (${count})`,
  tooMany: (most) => `At most ${most} at once: please select fewer.`,
  save: 'Save table',
  rejects: (count, written) => `${many(count, written)} ${count === 1 ? 'is' : 'are'} going to be rejected.`,
  reject: (count, written) => `Reject ${many(count, written)}`,
  held: {
    ask: (count, written) =>
      count === 1 ? 'The question is about to be sent.' : `${written} questions are about to be sent.`,
    reject: (count, written) => `${many(count, written)} ${count === 1 ? 'is' : 'are'} about to be rejected.`,
  },
  running: (done, count) => `${done} of ${count} …`,
  done: {
    ask: (done, refused) => `Questions sent: ${done}.${refused === 0 ? '' : ` Not sent: ${refused}.`}`,
    reject: (done, refused) => `Rejected: ${done}.${refused === 0 ? '' : ` Not rejected: ${refused}.`}`,
  },
  refused: 'Not decided',
};
