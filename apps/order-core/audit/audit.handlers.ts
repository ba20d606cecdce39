import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type AuditEntry,
  type AuditLogResponse,
  type AuditVerifyResponse,
  listAuditLog,
  verifyAuditLog,
} from '@offizin/contracts/reports/audit';
import { invalid } from '@offizin/contracts/calls/errors';
import { type EventIds, unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { auditPage, listAudit } from './audit-list.store';
import { unknownRecordIds } from './audit.store';
import { AuditVerifier } from './audit-verifier';
import { exportAuditLog } from '@offizin/contracts/exports';
import { type CsvColumn, filtersInWords } from '../csv/csv';
import { CsvFiles } from '../csv/csv-files';
import { whileLive } from '../callers/live-caller.store';

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

/** Part of the contract: append, never rename or reorder. */
const COLUMNS: CsvColumn<AuditEntry>[] = [
  ['position', ({ position }) => position],
  ['at', ({ at }) => at],
  ['actor', ({ actor }) => actor],
  ['action', ({ action }) => action],
  ['object', ({ object }) => object],
  ['request_id', ({ request_id: requestId }) => requestId],
];

/** The audit log as CSV. The file does not hold its own entry, which is committed before the first byte. */
@Controller()
export class AuditExportHandlers {
  constructor(
    private readonly database: Database,
    private readonly files: CsvFiles,
  ) {}

  @Handles(exportAuditLog)
  async export(call: Call<typeof exportAuditLog>): Promise<Answer<never>> {
    const { caller, query } = call;
    const { action, object, actor, from, to } = query;
    const read = whileLive(this.database, caller, (cursor) =>
      auditPage(this.database, caller.orgId, query, cursor),
    );
    return this.files.answer(call, {
      name: 'audit-log',
      action: 'audit.export',
      read,
      objectOf: ({ total }) => `audit-export:${total} ${filtersInWords({ action, object, actor, from, to })}`,
      columns: COLUMNS,
      rowsOf: ({ entries }) => entries,
    });
  }
}
