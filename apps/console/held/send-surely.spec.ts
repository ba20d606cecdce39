import { ApiError } from '../shell/api';
import { sendSurely, StaleDecision, type Surroundings } from './send-surely';

interface World extends Surroundings {
  away: number;
}

/** A world whose clock moves only when somebody waits, and for `lockedMs` while the screen is locked. */
function world(lockedMs = 0): World {
  let atMs = 0;
  let isLocked = false;
  const around: World = {
    away: 0,
    nowMs: () => atMs,
    wait: (ms) => {
      atMs += ms;
      return Promise.resolve();
    },
    whenUnlocked: () => {
      if (isLocked) atMs += lockedMs;
      isLocked = false;
      return Promise.resolve();
    },
    onEnded: () => {
      isLocked = true;
    },
    onAway: () => {
      around.away += 1;
    },
  };
  return around;
}

function answers(...statuses: number[]): () => Promise<string> {
  return () => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    if (status === 200) return Promise.resolve('done');
    return Promise.reject(new ApiError(status ?? 0, 'code', 'message', null));
  };
}

it.each([[0], [502], [503], [504]])('sends again while the answer is %d, and says so', async (status) => {
  const around = world();
  expect(await sendSurely(answers(status, status, 200), around)).toBe('done');
  expect(around.away).toBe(2);
});

it('gives up after a minute without an answer, and not before', async () => {
  const around = world();
  await expect(sendSurely(answers(503), around)).rejects.toMatchObject({ status: 503 });
  expect(around.nowMs()).toBeGreaterThanOrEqual(60_000);
  expect(around.nowMs()).toBeLessThan(70_000);
});

it.each([[400], [403], [404], [409], [412], [422], [429], [500]])(
  'takes %d as the answer',
  async (status) => {
    const around = world();
    await expect(sendSurely(answers(status, 200), around)).rejects.toMatchObject({ status });
    expect(around.away).toBe(0);
  },
);

it('waits for the same person when the session has ended', async () => {
  expect(await sendSurely(answers(401, 503, 200), world(5 * 60_000))).toBe('done');
});

it('does not send what was decided more than 10 minutes before the person came back', async () => {
  let sent = 0;
  const send = () => {
    sent += 1;
    return answers(401)();
  };
  await expect(sendSurely(send, world(11 * 60_000))).rejects.toThrow(StaleDecision);
  expect(sent).toBe(1);
});
