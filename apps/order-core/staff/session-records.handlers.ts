import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import {
  findSession,
  type FindSessionResponse,
  sessionsUsed,
  type SessionsUsedResponse,
} from '@offizin/contracts/session-records';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { findLiveSession, markSessionsUsed } from './sessions.store';

/** What the gateways ask and report. Not audited: it stores what they observed, not an action of a person. */
@Controller()
export class SessionRecordsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(findSession)
  async find({ body }: Call<typeof findSession>): Promise<Answer<FindSessionResponse>> {
    return ok({ session: await findLiveSession(this.database, body.hash) });
  }

  @Handles(sessionsUsed)
  async noteUses({ body }: Call<typeof sessionsUsed>): Promise<Answer<SessionsUsedResponse>> {
    const uses = body.uses.filter(({ session_id }) => isId(session_id));
    return ok({ updated: await markSessionsUsed(this.database, uses) });
  }
}
