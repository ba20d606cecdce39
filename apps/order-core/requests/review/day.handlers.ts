import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { checkDay, type DayCheckResponse, type DayResponse, listDay } from '@offizin/contracts/requests/day';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { lockRequest } from '../intake/order-requests.store';
import { approvalsOn, checkOfDay, saveCheck } from './day.store';

/** The approvals of a day, which a second person ticks off. */
@Controller()
export class DayHandlers {
  constructor(private readonly database: Database) {}

  @Handles(listDay)
  async list({ caller, query }: Call<typeof listDay>): Promise<Answer<DayResponse>> {
    return ok(await approvalsOn(this.database.reads, caller.orgId, query.on));
  }

  @Handles(checkDay)
  async check({ caller, params, body }: Call<typeof checkDay>): Promise<Answer<DayCheckResponse>> {
    const { orgId, actorId } = caller;
    const { requestId } = params;
    if (!isId(requestId)) throw notFound('order request');
    return liveTransaction(this.database, caller, async (tx) => {
      const request = await lockRequest(tx, orgId, requestId);
      if (request?.status !== 'approved') throw notFound('approved order request');
      const before = await checkOfDay(tx, orgId, requestId);
      if (body.checked === (before.checked !== null)) return ok(before);
      await saveCheck(tx, { orgId, requestId }, body.checked ? actorId : null);
      const action = body.checked ? 'order-request.day-check' : 'order-request.day-uncheck';
      await appendAudit(tx, caller, action, `order-request:${request.id}`);
      return ok(await checkOfDay(tx, orgId, requestId));
    });
  }
}
