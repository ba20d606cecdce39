import { rotated, type RotationStep } from './call-keys';
import { type NatsUser, newPassword } from './secrets';

/**
 * One step of changing the passwords of all users at the broker, in the form of the setting NATS_PASSWORD. A new password
 * belongs to the other one of an app's two users (deploy/nats/permissions.conf), so the old one stays valid beside it.
 * Throws for a step out of order.
 */
export function rotatedNatsPasswords(
  passwords: Record<NatsUser, string>,
  step: RotationStep,
): Record<NatsUser, string> {
  const logins = mapValues(passwords, (text) => text.split(','));
  return mapValues(rotated(logins, step, newLogin), (both) => both.join(','));
}

function newLogin(user: NatsUser, present: string): string {
  const second = `${user}-2:`;
  return present.startsWith(second) ? newPassword() : `${second}${newPassword()}`;
}

function mapValues<A, B>(values: Record<NatsUser, A>, change: (value: A) => B): Record<NatsUser, B> {
  const entries = Object.entries<A>(values).map(([user, value]) => [user, change(value)]);
  return Object.fromEntries(entries) as Record<NatsUser, B>;
}
