/**
 * `<password>` is the one of `user`, `<user>-2:<password>` the one of the second user, who has the same rights
 * (deploy/nats/permissions.conf). During a rotation there are both, separated by a comma: the first signs in.
 */
export function loginOf(user: string, passwords: string): { user: string; pass: string } {
  const second = `${user}-2`;
  if (passwords.startsWith(`${second}:`)) {
    const [pass = ''] = passwords.slice(second.length + 1).split(',');
    return { user: second, pass };
  }
  // Not at any comma: a password that was chosen elsewhere may contain one.
  const end = passwords.indexOf(`,${second}:`);
  return { user, pass: end < 0 ? passwords : passwords.slice(0, end) };
}
