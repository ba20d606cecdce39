import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type AuditEntry,
  type AuditFilters,
  type AuditLogResponse,
  type AuditVerifyResponse,
  listAuditLog,
  verifyAuditLog,
} from '@offizin/contracts/reports/audit';
import { invalid } from '@offizin/contracts/calls/errors';
import { type EventIds, unknownEvents } from '@offizin/contracts/webhooks/unknown-events';
import { type Answer, type Call, ok, okPieces } from '@offizin/contracts/calls/operation';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { auditPage, listAudit } from './audit-list.store';
import { unknownRecordIds } from './audit.store';
import { AuditVerifier } from './audit-verifier';
import { exportAuditLog } from '@offizin/contracts/exports';
import { type CsvColumn, csvDialect, csvHead, csvHeaders, csvName, csvRows } from '../csv/csv';
import { CsvFiles } from '../csv/csv-files';
import { whileLive } from '../callers/live-caller.store';
import { ReadAudit } from './read-audit';

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
  private readonly readAudit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly files: CsvFiles,
  ) {
    this.readAudit = new ReadAudit(database);
  }

  @Handles(exportAuditLog)
  async export({ caller, query, headers }: Call<typeof exportAuditLog>): Promise<Answer<never>> {
    const dialect = csvDialect(headers.accept, caller.kind);
    const { orgId } = caller;
    const read = whileLive(this.database, caller, (cursor) => auditPage(this.database, orgId, query, cursor));
    const pieces = await this.files.write(orgId, {
      read,
      begin: async ({ total }) => {
        await this.readAudit.append(caller, 'audit.export', `audit-export:${total} ${inWords(query)}`);
        return csvHead(COLUMNS, dialect);
      },
      rows: ({ entries }) => csvRows(COLUMNS, entries, dialect),
    });
    return okPieces(pieces, csvHeaders(dialect, csvName('audit-log', Date.now())));
  }
}

/** For the audit log: by what the file was filtered. */
function inWords({ action, object, actor, from, to }: AuditFilters): string {
  const given = Object.entries({ action, object, actor, from, to });
  return given.flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])).join(' ') || 'all';
}
