import type { FailureTexts } from './failures.de';

export const failures: FailureTexts = {
  broken: 'The file is not a readable PDF. Ask the partner.',
  locked: 'The file needs a password. Save it, or ask the partner.',
  late: 'The prescription is loading slowly. It will appear as soon as it has loaded.',
};
