import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, noContent } from '@offizin/contracts/calls/operation';
import { withdrawApproval } from '@offizin/contracts/requests/review';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction } from '../../callers/live-caller.store';
import { isUndecided } from './decision';
import { decided } from './decision.store';
import { foreignFirst } from './four-eyes';
import { firstApproverName, forgetFirstApproval } from './four-eyes.store';
import { LiveChanges } from './first-approvals';
import { lockRequest } from '../intake/order-requests.store';

@Controller()
export class FourEyesHandlers {
  constructor(
    private readonly database: Database,
    private readonly changes: LiveChanges,
  ) {}

  @Handles(withdrawApproval)
  async withdraw({ caller, params, keyRun }: Call<typeof withdrawApproval>): Promise<Answer<never>> {
    const { requestId } = params;
    const { orgId } = caller;
    if (!isId(requestId)) throw notFound('order request');
    const answer = await liveTransaction(this.database, caller, async (tx) => {
      const request = await lockRequest(tx, orgId, requestId);
      if (!request) throw notFound('order request');
      const { status, first_approved_by: staffId } = request;
      if (!isUndecided(status)) throw await decided(tx, caller, request);
      if (staffId === null) return storeAnswer<never>(tx, keyRun, noContent());
      if (staffId !== caller.actorId) throw foreignFirst(await firstApproverName(tx, orgId, staffId));
      await forgetFirstApproval(tx, orgId, requestId);
      await appendAudit(tx, caller, 'order-request.withdraw-approval', `order-request:${requestId}`);
      return storeAnswer<never>(tx, keyRun, noContent());
    });
    this.changes.ring(orgId, requestId);
    return answer;
  }
}
