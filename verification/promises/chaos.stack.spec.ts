import type { Guarantee } from './guarantee';
import { guarantees } from './guarantees';
import { type Judged, tryGuarantee } from './runner';

/** The short selection of `npm run chaos`, each promise on separate stacks. */
const SEED = 'npm test';
/** Ends a run that hangs. On the slowest machine seen a promise took 130 s with nothing else running. */
const LIMIT_MS = 480_000;
/** Tried beside each other: a promise waits for its processes most of the time. */
const AT_ONCE = 2;

const short = guarantees.filter(({ isShort }) => isShort);
const tried = new Map<Guarantee, Promise<Judged>>();

beforeAll(() => {
  const options = { seed: SEED, isShort: true, historyFolder: null, say: () => undefined };
  short.forEach((guarantee, place) => {
    const before = short[place - AT_ONCE];
    const isFree = before ? tried.get(before) : null;
    tried.set(
      guarantee,
      Promise.resolve(isFree).then(() => tryGuarantee(guarantee, options)),
    );
  });
});
afterAll(() => Promise.all(tried.values()), LIMIT_MS);

it.each(short.map((guarantee) => [guarantee.id, guarantee] as const))(
  '%s holds under faults, with small figures',
  async (_id, guarantee) => {
    const verdicts = (await tried.get(guarantee))?.verdicts ?? [];
    expect(verdicts.filter(({ result }) => result === 'broken')).toEqual([]);
    expect(verdicts.some(({ result }) => result === 'held')).toBe(true);
  },
  LIMIT_MS,
);
