import { ClaimBudget } from './claim-budget';

/** Whether the promise has resolved by the end of this tick. */
async function isIn(entered: Promise<void>): Promise<boolean> {
  let done = false;
  void entered.then(() => (done = true));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('ClaimBudget', () => {
  it('blocks claims while too many deliveries wait for a slot, then resumes all of them', async () => {
    const room = new ClaimBudget(() => 0);
    room.claimed(1_000);
    expect(await isIn(room.enter())).toBe(true);
    room.claimed(400);
    const [first, second] = [room.enter(), room.enter()];
    room.left(399);
    expect(await isIn(first)).toBe(false);
    room.left(1);
    expect(await Promise.all([isIn(first), isIn(second)])).toEqual([true, true]);
  });

  it('blocks claims while too many results wait to be written', async () => {
    let unwritten = 2_001;
    const room = new ClaimBudget(() => unwritten);
    const entered = room.enter();
    expect(await isIn(entered)).toBe(false);
    unwritten = 2_000;
    room.look();
    expect(await isIn(entered)).toBe(true);
  });

  it('blocks no claim once it is closed', async () => {
    const room = new ClaimBudget(() => 0);
    room.claimed(5_000);
    const entered = room.enter();
    room.close();
    expect(await isIn(entered)).toBe(true);
    expect(await isIn(room.enter())).toBe(true);
  });
});
