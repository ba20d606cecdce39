import { ClaimBudget } from './claim-budget';

/** Whether the promise has resolved by the end of this tick. */
async function isIn(resumed: Promise<void>): Promise<boolean> {
  let done = false;
  void resumed.then(() => (done = true));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('ClaimBudget', () => {
  it('blocks claims while too many deliveries wait for a slot, then resumes all of them', async () => {
    const budget = new ClaimBudget(() => 0);
    budget.claimed(1_000);
    expect(await isIn(budget.waitForSpace())).toBe(true);
    budget.claimed(400);
    const [first, second] = [budget.waitForSpace(), budget.waitForSpace()];
    budget.release(399);
    expect(await isIn(first)).toBe(false);
    budget.release(1);
    expect(await Promise.all([isIn(first), isIn(second)])).toEqual([true, true]);
  });

  it('blocks claims while too many results wait to be written', async () => {
    let unwritten = 2_001;
    const budget = new ClaimBudget(() => unwritten);
    const resumed = budget.waitForSpace();
    expect(await isIn(resumed)).toBe(false);
    unwritten = 2_000;
    budget.resumeWhenFree();
    expect(await isIn(resumed)).toBe(true);
  });

  it('blocks no claim once it is closed', async () => {
    const budget = new ClaimBudget(() => 0);
    budget.claimed(5_000);
    const resumed = budget.waitForSpace();
    budget.close();
    expect(await isIn(resumed)).toBe(true);
    expect(await isIn(budget.waitForSpace())).toBe(true);
  });
});
