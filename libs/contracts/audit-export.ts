import { AuditFilters, listAuditLog } from './audit';
import { UseInstead } from './fields';
import { operation } from './operation';

const RANGE = 'from and to: a CSV file has no pages';

export class AuditExportQuery extends AuditFilters {
  @UseInstead(RANGE) limit?: never;
  @UseInstead(RANGE) offset?: never;
  @UseInstead(RANGE) cursor?: never;
}

/** Answers the address of the list, for callers that accept CSV. */
export const exportAuditLog = operation({
  name: 'audit-log.export',
  summary: 'All entries of a list as CSV, newest first',
  service: 'order-core',
  via: 'http',
  access: 'settings.read',
  roleScope: 'audit.read',
  method: 'GET',
  path: listAuditLog.path,
  query: AuditExportQuery,
  narrow: 'Narrow the range (from and to).',
  reply: 'text/csv',
});
