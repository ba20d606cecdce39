import type { BusConnection } from '@offizin/bus/key-value';
import * as records from '@offizin/contracts/session-records';
import * as session from '@offizin/contracts/sessions';
import * as staff from '@offizin/contracts/staff';
import * as operator from '@offizin/contracts/staff-operator';
import type { Database } from '@offizin/pg/database';
import { DirectoryProjection } from './directory/projection';
import type { HandlerTable } from './spec-fixture';
import { SessionLimits } from './staff/open-sessions';
import { SessionRecordsHandlers } from './staff/session-records.handlers';
import { SessionHandlers } from './staff/session.handlers';
import { SignInHandlers } from './staff/sign-in.handlers';
import { ConsoleAddress } from './staff/staff-links';
import { StaffOperatorHandlers } from './staff/staff-operator.handlers';
import { StaffHandlers } from './staff/staff.handlers';

/** For specs only: the handlers of staff, sessions and links. */
export function staffHandlers(database: Database, connection: BusConnection): HandlerTable {
  const projection = new DirectoryProjection(database, connection);
  const address = new ConsoleAddress('https://console.example');
  const signing = new SignInHandlers(database, projection, new SessionLimits(12, 30));
  const sessions = new SessionHandlers(database, projection);
  const found = new SessionRecordsHandlers(database);
  const people = new StaffHandlers(database, projection, address);
  const operating = new StaffOperatorHandlers(database, projection, address);
  return [
    [session.signIn, (call) => signing.signIn(call)],
    [session.readLink, (call) => signing.readLink(call)],
    [session.acceptLink, (call) => signing.acceptLink(call)],
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
    [staff.findNames, (call) => people.names(call)],
    [operator.inviteStaffFor, (call) => operating.invite(call)],
    [operator.listStaffOf, (call) => operating.list(call)],
    [operator.switchOffStaff, (call) => operating.switchOff(call)],
    [operator.signOutStaffOf, (call) => operating.signOut(call)],
  ];
}
