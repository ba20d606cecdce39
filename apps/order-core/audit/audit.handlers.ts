import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type AuditLogResponse,
  type AuditVerifyResponse,
  listAuditLog,
  verifyAuditLog,
} from '@offizin/contracts/audit';
import { invalid } from '@offizin/contracts/errors';
import { type EventIds, unknownEvents } from '@offizin/contracts/unknown-events';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { listAudit } from './audit-list.store';
import { unknownRecordIds } from './audit-records.store';
import { AuditVerifier } from './audit-verifier';

const unknownToOrderCore = unknownEvents('order-core');

@Controller()
export class AuditHandlers {
  constructor(
    private readonly database: Database,
    private readonly verifier: AuditVerifier,
  ) {}

  @Handles(listAuditLog)
  async list({ caller, query }: Call<typeof listAuditLog>): Promise<Answer<AuditLogResponse>> {
    return ok(await listAudit(this.database, caller.orgId, query));
  }

  /** Asked by the outboxes of other services before they delete a record. */
  @Handles(unknownToOrderCore)
  async unknown({ body }: Call<typeof unknownToOrderCore>): Promise<Answer<EventIds>> {
    const wrong = body.ids.findIndex((id) => !isId(id));
    if (wrong !== -1) throw invalid([{ field: `ids[${wrong}]`, message: 'must be a UUID' }]);
    return ok({ ids: await unknownRecordIds(this.database, body.ids) });
  }

  @Handles(verifyAuditLog)
  async verify({ query }: Call<typeof verifyAuditLog>): Promise<Answer<AuditVerifyResponse>> {
    return ok(await this.verifier.verify(query.after_position));
  }
}
