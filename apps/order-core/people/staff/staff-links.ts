import { Refused } from '@offizin/contracts/calls/errors';
import type { LinkKind } from '@offizin/contracts/people/sessions';
import type { Person } from './staff.store';

/** The address that links begin with, by configuration. */
export class ConsoleAddress {
  constructor(private readonly baseUrl: string) {}

  /** The token is in the fragment, which browsers do not send: no log holds it. */
  link(token: string): string {
    return `${this.baseUrl}/console/welcome#${token}`;
  }

  /** Where people of an organization with a provider begin. */
  signIn(orgId: string): string {
    return `${this.baseUrl}/console/sign-in?org=${orgId}`;
  }

  /** Another one for each organization: the answer of one provider never counts as that of another (decision 0049). */
  signOnAnswer(orgId: string): string {
    return `${this.baseUrl}/console/api/oidc/callback/${orgId}`;
  }
}

/** Invitations are for people without a password, resets for those with one. Throws `Refused` (conflict). */
export function requireLinkable(person: Person, kind: LinkKind): void {
  if (!person.is_active)
    throw new Refused('conflict', 'The person is switched off: switch the person on first.');
  if (kind === linkKindFor(person)) return;
  const message =
    kind === 'invitation'
      ? 'The person has joined already: make a reset link.'
      : 'The person has not joined yet: make an invitation.';
  throw new Refused('conflict', message);
}

export function linkKindFor({ password_hash: hash }: Person): LinkKind {
  return hash === null ? 'invitation' : 'reset';
}
