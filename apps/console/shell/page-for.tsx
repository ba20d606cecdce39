import type { ComponentType } from 'react';
import { Refused } from './fault';
import { type Session, useSession } from './session.calls';

/** A page of those who have the scope. Others read what is missing, and who can give it. */
export function pageFor(scope: Session['scopes'][number], Page: ComponentType) {
  return function ForThoseWhoMay() {
    const { staff, scopes } = useSession();
    return scopes.includes(scope) ? <Page /> : <Refused role={staff.role} />;
  };
}
