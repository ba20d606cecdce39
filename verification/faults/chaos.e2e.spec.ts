import { guarantees } from './guarantees';
import { tryGuarantee } from './runner';

/** The short selection of `npm run chaos`, on separate stacks. */
const SEED = 'npm test';
const LIMIT_MS = 240_000;

it.each(guarantees.filter(({ isShort }) => isShort).map((guarantee) => [guarantee.id, guarantee] as const))(
  '%s holds under faults, with small figures',
  async (_id, guarantee) => {
    const options = { seed: SEED, isShort: true, historyFolder: null, say: () => undefined };
    const { verdicts } = await tryGuarantee(guarantee, options);
    expect(verdicts.filter(({ result }) => result === 'broken')).toEqual([]);
    expect(verdicts.some(({ result }) => result === 'held')).toBe(true);
  },
  LIMIT_MS,
);
