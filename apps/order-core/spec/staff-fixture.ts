import type { BusConnection } from '@offizin/bus/key-value';
import type { Database } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DirectoryProjection } from '../people/directory/projection';
import { DataKeys } from '../crypto/data-keys.store';
import type { HandlerTable } from './spec-fixture';
import { PasskeyAddress } from '../people/staff/passkeys';
import { PasskeySignInHandlers } from '../people/staff/passkey-sign-in.handlers';
import { PasskeysHandlers } from '../people/staff/passkeys.handlers';
import { SecondFactorHandlers } from '../people/staff/second-factor.handlers';
import { SignInStepsHandlers } from '../people/staff/sign-in-steps.handlers';
import { SessionLimits } from '../people/staff/open-sessions';
import { SessionHandlers, SessionRecordsHandlers } from '../people/staff/session.handlers';
import { SignInHandlers } from '../people/staff/sign-in.handlers';
import { ConsoleAddress } from '../people/staff/staff-links';
import { StaffOperatorHandlers } from '../people/staff/staff-operator.handlers';
import { StaffHandlers } from '../people/staff/staff.handlers';

/** For specs only: the handlers of staff, sessions and links. */
export function staffHandlers(database: Database, connection: BusConnection): HandlerTable {
  const projection = new DirectoryProjection(database, connection);
  const address = new ConsoleAddress('https://console.example');
  const limits = new SessionLimits(12, 30);
  const dataKeys = new DataKeys(database, [Buffer.alloc(32, 7)]);
  const passkeys = new PasskeyAddress('https://console.example');
  return handlersIn(
    new SignInHandlers(database, projection, limits),
    new SignInStepsHandlers(database, projection, limits, dataKeys),
    new SecondFactorHandlers(database, dataKeys),
    new SessionHandlers(database, projection, passkeys),
    new PasskeysHandlers(database, passkeys),
    new PasskeySignInHandlers(database, projection, limits, passkeys),
    new SessionRecordsHandlers(database),
    new StaffHandlers(database, projection, address),
    new StaffOperatorHandlers(database, projection, address),
  );
}
