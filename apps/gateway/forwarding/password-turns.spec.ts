import { EventEmitter } from 'node:events';
import { confirmSession, signIn } from '@offizin/contracts/people/sessions';
import { PasswordTurns } from './password-turns';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Caller {
  readonly response = Object.assign(new EventEmitter(), { destroyed: false });
  end: (status: number) => void = () => undefined;
  isAsked = false;
  readonly ended: Promise<unknown>;

  constructor(turns: PasswordTurns, ip: string, staffId?: string) {
    const from = { ip, response: this.response, staffId };
    const call = (): Promise<{ status: number }> => {
      this.isAsked = true;
      return new Promise((resolve) => (this.end = (status) => resolve({ status })));
    };
    this.ended = turns.run(staffId === undefined ? signIn : confirmSession, from, call).catch(() => 'left');
  }
}

it('lets people and networks of an earlier sign-in pass strangers, and drops callers who left', async () => {
  const turns = new PasswordTurns();
  const early = new Caller(turns, '192.0.2.1');
  await settled();
  early.end(200);
  await early.ended;
  const busy = ['203.0.113.1', '198.51.100.2'].map((ip) => new Caller(turns, ip));
  const stranger = new Caller(turns, '203.0.113.3');
  const gone = new Caller(turns, '203.0.113.4');
  const known = new Caller(turns, '192.0.2.1');
  const person = new Caller(turns, '203.0.113.3', 'person-1');
  await settled();
  expect(busy.map(({ isAsked }) => isAsked)).toEqual([true, true]);
  gone.response.emit('close');
  expect(await gone.ended).toBe('left');
  for (const { end } of busy) end(401);
  await settled();
  expect([known.isAsked, person.isAsked, stranger.isAsked]).toEqual([true, true, false]);
  known.end(401);
  await settled();
  expect([stranger.isAsked, gone.isAsked]).toEqual([true, false]);
});

/** Ends the calls one after another; returns the callers in the order of their turns. */
async function inTurn(callers: readonly Caller[]): Promise<Caller[]> {
  const asked: Caller[] = [];
  for (let ended = 0; ended < callers.length; ended++) {
    await settled();
    asked.push(...callers.filter((caller) => caller.isAsked && !asked.includes(caller)));
    asked[ended]?.end(401);
  }
  return asked;
}

it('counts a person as one party whatever the sessions, and gives strangers one turn of four', async () => {
  const turns = new PasswordTurns();
  const sessions = Array.from({ length: 6 }, () => new Caller(turns, '192.0.2.1', 'person-1'));
  const people = Array.from({ length: 8 }, (_, index) => new Caller(turns, '192.0.2.1', `other-${index}`));
  const strangers = ['198.51.100.1', '203.0.113.1'].map((ip) => new Caller(turns, ip));
  const order = await inTurn([...sessions, ...people, ...strangers]);
  const placesOf = (callers: Caller[]): number[] => callers.map((caller) => order.indexOf(caller));
  expect(placesOf(strangers)).toEqual([5, 9]);
  expect(placesOf(people)).toEqual([2, 3, 4, 6, 7, 8, 10, 11]);
  expect(placesOf(sessions)).toEqual([0, 1, 12, 13, 14, 15]);
});

it.each([
  ['198.51.100.1', (index: number) => `203.0.113.${index}`],
  ['2001:db8::1', (index: number) => `2a02:abc:${index}::1`],
])('a caller at %s gets the next turn beside a flood from many networks of one provider', async (ip, at) => {
  const turns = new PasswordTurns();
  const flood = Array.from({ length: 20 }, (_, index) => new Caller(turns, at(index)));
  await settled();
  const stranger = new Caller(turns, ip);
  await settled();
  const isInWork = ({ isAsked }: Caller): boolean => isAsked;
  for (const { end } of flood.filter(isInWork)) end(401);
  await settled();
  expect(stranger.isAsked).toBe(true);
  expect(flood.some((caller) => !caller.isAsked)).toBe(true);
});
