import { statement } from '@offizin/pg/database';
import { race } from '@offizin/testkit/race';
import { type Door, EACH_DOOR, outcomeOf, said, type SentRequest, sentAt } from '../../spec/offer-fixture';
import { requestSpec } from '../../spec/request-handlers';
import type { OrderCoreFixture } from '../../spec/spec-fixture';
import { expireOffers } from './expiry';

/** The answer to an offer against everything that ends the offer: one wins, and the history has no gap. */
let core: OrderCoreFixture;
const store = requestSpec((made) => (core = made));

const sent = (door: Door) => sentAt(core, door);
const NO_RINGS = { ring: () => undefined };
/** An answered offer keeps its time. */
const makeLate = statement<never, [string]>(
  'spec_race_offer_late',
  `UPDATE core.order_requests SET offer_valid_until = now() - interval '1 second' WHERE id = $1 AND offer_state = 'open'`,
);
const ordersOf = statement<{ items: unknown }, [string]>(
  'spec_offer_orders',
  'SELECT items FROM core.orders WHERE order_request_id = $1',
);

describe.each(EACH_DOOR)('at the door of the %s', (_, door) => {
  const ROUNDS = 5;
  /** Exactly one of two outcomes, and a history without a gap. */
  async function settled(request: SentRequest, state: string | null): Promise<void> {
    const { version } = await request.detail();
    expect(version).toBe(state === 'accepted' ? 2 : 1);
    const sequences = await request.sequences();
    expect(sequences).toEqual(sequences.map((__, index) => index + 1));
  }

  it('20 acceptances and 20 rejections have one winner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      await request.offer();
      const answers = await race(40, (n) => outcomeOf(n % 2 === 0 ? request.accept() : request.reject()));
      const outcomes = answers.map(said);
      const { status, version } = await request.detail();
      expect(status).toBe('rejected');
      const state = await request.offerState();
      expect(['accepted', 'ended']).toContain(state);
      expect(version).toBe(state === 'accepted' ? 2 : 1);
      expect(outcomes.filter((one) => one.startsWith('200 rejected')).length).toBeGreaterThanOrEqual(20);
      if (state === 'ended')
        expect(new Set(outcomes)).toEqual(new Set(['200 rejected', '409 already_decided']));
      const sequences = await request.sequences();
      expect(sequences).toEqual(sequences.map((__, index) => index + 1));
    }
  });

  it('20 acceptances and 20 refusals of the sender have one winner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      await request.offer();
      const answers = await race(40, (n) => outcomeOf(n % 2 === 0 ? request.accept() : request.decline()));
      const outcomes = answers.map(said);
      const state = await request.offerState();
      expect(outcomes.filter((one) => one === '200 pending')).toHaveLength(20);
      expect(outcomes.filter((one) => one === '409 already_decided')).toHaveLength(20);
      await settled(request, state);
    }
  });

  it('20 acceptances against a withdrawal', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      await request.offer();
      const answers = await race(21, (n) => outcomeOf(n === round * 4 ? request.cancel() : request.accept()));
      expect((await request.detail()).status).toBe('cancelled');
      expect(answers.map(said)).toContain('200 cancelled');
      await settled(request, await request.offerState());
    }
  });

  it('20 acceptances against a new version', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      await request.offer();
      await race(21, (n) =>
        outcomeOf(n === round * 4 ? request.replace({ customer_name: 'Max' }) : request.accept()),
      );
      const { version, customer_name } = await request.detail();
      expect(customer_name).toBe('Max');
      expect(version).toBe((await request.offerState()) === 'accepted' ? 3 : 2);
    }
  });

  it('20 acceptances against its expiry', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      await request.offer();
      // Some begin before the time has passed, the others after it.
      const late = () =>
        store.database.rows(makeLate, request.id).then(() => expireOffers(store.database, NO_RINGS));
      const [answers] = await Promise.all([race(20, () => outcomeOf(request.accept())), late(), late()]);
      // It skips an offer that is being answered.
      await expireOffers(store.database, NO_RINGS);
      const state = await request.offerState();
      expect(['accepted', 'expired']).toContain(state);
      const outcomes = new Set(answers.map(said));
      expect(outcomes).toEqual(new Set([state === 'accepted' ? '200 pending' : '409 offer_expired']));
      expect((await request.detail()).status).toBe('pending');
      await settled(request, state);
    }
  });

  it('20 acceptances against staff that takes it back', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      await request.offer();
      await race(21, (n) => outcomeOf(n === round * 4 ? request.takeBack() : request.accept()));
      expect((await request.detail()).status).toBe('pending');
      await settled(request, await request.offerState());
    }
  });

  it('an approval of the version before never makes an order with lines that were not approved', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = await sent(door);
      const partner = async () => {
        await request.offer();
        await request.accept();
      };
      await Promise.all([request.approve({ version: 1 }), partner()]);
      const orders = await store.database.rows(ordersOf, request.id);
      const { status, payload } = await request.detail();
      if (status === 'approved') expect(orders[0]?.items).toMatchObject(payload['items'] as object[]);
      else expect(orders).toEqual([]);
    }
  });
});
