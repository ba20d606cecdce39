import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { AuditEntry, AuditFilters } from '@offizin/contracts/audit';
import { exportAuditLog } from '@offizin/contracts/exports';
import { type Answer, type Call, okPieces } from '@offizin/contracts/operation';
import { Database } from '@offizin/pg/database';
import { type CsvColumn, csvHead, csvRows } from '../csv/csv';
import { CsvFiles } from '../csv/csv-files';
import { csvDialect, csvHeaders, csvName } from '../csv/reply-format';
import { whileLive } from '../directory/live-caller.store';
import { auditPage } from './audit-list.store';
import { ReadAudit } from './read-audit';

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
    const dialect = csvDialect(headers.accept);
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
