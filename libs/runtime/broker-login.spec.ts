import { loginOf } from './broker-login';

it.each([
  ['one password', 'p1', 'catalog', 'p1'],
  ['one of the second user', 'catalog-2:p2', 'catalog-2', 'p2'],
  ['two, the old one first', 'p1,catalog-2:p2', 'catalog', 'p1'],
  ['two, the new one first', 'catalog-2:p2,p1', 'catalog-2', 'p2'],
  ['a password with the separators in it', 'a,b:c', 'catalog', 'a,b:c'],
  ['a password that names another user', 'order-core-2:p', 'catalog', 'order-core-2:p'],
  ['none', '', 'catalog', ''],
])('signs in with %s', (_what, passwords, user, pass) => {
  expect(loginOf('catalog', passwords)).toEqual({ user, pass });
});
