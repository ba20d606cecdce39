import { EventEmitter } from 'node:events';
import { confirmSession, signIn } from '@offizin/contracts/people/sessions';
import { PasswordTurns } from './password-turns';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Caller {
  readonly response = Object.assign(new EventEmitter(), { destroyed: false });
  end: (status: number) => void = () => undefined;
  isAsked = false;
  readonly ended: Promise<unknown>;

  constructor(turns: PasswordTurns, ip: string, sessionId?: string) {
    const from = { ip, response: this.response, sessionId };
    const call = (): Promise<{ status: number }> => {
      this.isAsked = true;
      return new Promise((resolve) => (this.end = (status) => resolve({ status })));
    };
    this.ended = turns.run(sessionId === undefined ? signIn : confirmSession, from, call).catch(() => 'left');
  }
}

it('lets sessions and networks of an earlier sign-in pass strangers, and drops callers who left', async () => {
  const turns = new PasswordTurns();
  const early = new Caller(turns, '192.0.2.1');
  await settled();
  early.end(200);
  await early.ended;
  const busy = ['203.0.113.1', '198.51.100.2'].map((ip) => new Caller(turns, ip));
  const stranger = new Caller(turns, '203.0.113.3');
  const gone = new Caller(turns, '203.0.113.4');
  const known = new Caller(turns, '192.0.2.1');
  const person = new Caller(turns, '203.0.113.3', 'session-1');
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
