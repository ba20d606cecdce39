import { loginOf } from '@offizin/runtime/broker-login';
import { ROTATION_STEPS } from './call-keys';
import { rotatedNatsPasswords } from './nats-passwords';
import { natsUsers, newNatsPasswords } from './secrets';

const natsPasswords = newNatsPasswords();

it('gives each user another password, of the other one of its two users, each time', () => {
  let passwords = natsPasswords;
  const users: string[] = [];
  for (let round = 0; round < 3; round++) {
    const before = passwords;
    for (const step of ROTATION_STEPS) {
      const present = passwords;
      passwords = rotatedNatsPasswords(passwords, step);
      // A login of one step is accepted by the files of the other one.
      for (const user of natsUsers) {
        expect([user, present[user].split(',')]).toEqual([
          user,
          expect.arrayContaining([firstOf(passwords[user])]),
        ]);
        expect([user, passwords[user].split(',')]).toEqual([
          user,
          expect.arrayContaining([firstOf(present[user])]),
        ]);
      }
    }
    for (const user of natsUsers) expect(passwords[user]).not.toContain(before[user]);
    users.push(loginOf('catalog', passwords.catalog).user);
  }
  expect(users).toEqual(['catalog-2', 'catalog', 'catalog-2']);
});

it('refuses a step out of order', () => {
  expect(() => rotatedNatsPasswords(natsPasswords, 'switch')).toThrow('switch is not the next step: gateway');
  const added = rotatedNatsPasswords(natsPasswords, 'add');
  expect(() => rotatedNatsPasswords(added, 'add')).toThrow('add is not the next step');
});

function firstOf(text: string): string {
  return text.split(',')[0] ?? '';
}
