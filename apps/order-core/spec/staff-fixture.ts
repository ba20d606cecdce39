import type { BusConnection } from '@offizin/bus/key-value';
import * as passkey from '@offizin/contracts/people/passkeys';
import * as second from '@offizin/contracts/people/second-factor';
import * as records from '@offizin/contracts/people/session-records';
import * as session from '@offizin/contracts/people/sessions';
import * as staff from '@offizin/contracts/people/staff';
import * as operator from '@offizin/contracts/people/staff-operator';
import type { Database } from '@offizin/pg/database';
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
  const signing = new SignInHandlers(database, projection, limits);
  const steps = new SignInStepsHandlers(database, projection, limits, dataKeys);
  const factors = new SecondFactorHandlers(database, dataKeys);
  const passkeys = new PasskeyAddress('https://console.example');
  const sessions = new SessionHandlers(database, projection, passkeys);
  const own = new PasskeysHandlers(database, passkeys);
  const passing = new PasskeySignInHandlers(database, projection, limits, passkeys);
  const found = new SessionRecordsHandlers(database);
  const people = new StaffHandlers(database, projection, address);
  const operating = new StaffOperatorHandlers(database, projection, address);
  return [
    [session.signIn, (call) => signing.signIn(call)],
    [session.readLink, (call) => signing.readLink(call)],
    [session.acceptLink, (call) => signing.acceptLink(call)],
    [second.giveSecondFactor, (call) => steps.give(call)],
    [second.beginSetUp, (call) => steps.begin(call)],
    [second.finishSetUp, (call) => steps.finish(call)],
    [second.getSecondFactor, (call) => factors.get(call)],
    [second.beginTotp, (call) => factors.begin(call)],
    [second.confirmTotp, (call) => factors.confirm(call)],
    [second.removeTotp, (call) => factors.remove(call)],
    [second.getSignInRules, (call) => factors.rules(call)],
    [second.setSignInRules, (call) => factors.setRules(call)],
    [passkey.requestPasskeySignIn, (call) => passing.request(call)],
    [passkey.givePasskey, (call) => passing.give(call)],
    [passkey.requestPasskeyConfirmation, (call) => own.requestConfirmation(call)],
    [passkey.listPasskeys, (call) => own.list(call)],
    [passkey.requestPasskey, (call) => own.request(call)],
    [passkey.createPasskey, (call) => own.create(call)],
    [passkey.removePasskey, (call) => own.remove(call)],
    [session.getSession, (call) => sessions.get(call)],
    [session.signOut, (call) => sessions.signOut(call)],
    [session.confirmSession, (call) => sessions.confirm(call)],
    [session.listSessions, (call) => sessions.list(call)],
    [session.endSession, (call) => sessions.end(call)],
    [session.changePreferences, (call) => sessions.prefer(call)],
    [session.changePassword, (call) => sessions.changePassword(call)],
    [records.findSession, (call) => found.find(call)],
    [records.sessionsUsed, (call) => found.noteUses(call)],
    [staff.listStaff, (call) => people.list(call)],
    [staff.createStaff, (call) => people.create(call)],
    [staff.updateStaff, (call) => people.update(call)],
    [staff.createLink, (call) => people.link(call)],
    [staff.signOutStaff, (call) => people.signOut(call)],
    [staff.removeSecondFactor, (call) => people.removeSecondFactor(call)],
    [staff.findNames, (call) => people.names(call)],
    [operator.inviteStaffFor, (call) => operating.invite(call)],
    [operator.listStaffOf, (call) => operating.list(call)],
    [operator.switchOffStaff, (call) => operating.switchOff(call)],
    [operator.removeSecondFactorOf, (call) => operating.removeSecondFactor(call)],
    [operator.signOutStaffOf, (call) => operating.signOut(call)],
  ];
}
