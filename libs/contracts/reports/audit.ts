import { Flag, Int, Nested, OneOf, QueryInteger, QueryText, Text, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import {
  type CursorQuery,
  DEFAULT_PAGE_SIZE,
  OffsetPagination,
  PageCursor,
  PageOffset,
  PageSize,
} from '../calls/paging';
import { Described } from '../calls/schema';

/** The audit log: who did what to which object, when, in which request. Append-only and sealed in a chain. */

@Described('Who did what to which object, in which request')
export class AuditEntry {
  @Int({ description: 'Increases with every entry of the installation' }) position!: number;
  @Timestamp({ description: 'When it was done, in UTC' }) at!: string;
  @Text({ description: 'key:<id>, integration:<id>, staff:<id>, platform:<name> or service:<name>' })
  actor!: string;
  @Text({ example: 'order-request.approve', description: 'What was done: noun and verb' }) action!: string;
  @Text({ example: 'order-request:0197c4…', description: 'Kind and id of the object' }) object!: string;
  @Text({ description: 'X-Request-Id of the request that did it' }) request_id!: string;
}

export class AuditFilters {
  @QueryText({ optional: true, description: 'Exact' }) action?: string;
  @QueryText({
    optional: true,
    description:
      'Exact, such as order:<id>; order-request:<id> or prescription:<id> includes its versions and documents',
  })
  object?: string;
  @QueryText({ optional: true, description: 'Exact, such as key:<id>' }) actor?: string;
  @Timestamp({ optional: true, description: 'At this time or later' }) from?: string;
  @Timestamp({ optional: true, notBefore: 'from', description: 'Before this time' }) to?: string;
}

export class AuditLogQuery extends AuditFilters implements CursorQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @PageOffset() offset?: number;
  @PageCursor() cursor?: string;
}

@Described('A page of the audit log, newest first')
export class AuditLogResponse {
  @Nested(() => AuditEntry, { list: { maxItems: 200 } }) data!: AuditEntry[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

export class AuditVerifyQuery {
  @QueryInteger({
    optional: true,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'Continue after this position when an answer was incomplete; 0 checks from the start. Without it the check continues where an earlier one ended',
  })
  after_position?: number;
}

@Described(
  'The seals of the whole installation, recomputed. An entry that was changed, removed or inserted later breaks them.',
)
export class AuditVerifyResponse {
  @OneOf(['ok', 'broken'], { description: 'broken: at least one entry does not match its seal, or is gone' })
  status!: 'ok' | 'broken';
  @Int({ description: 'Entries whose seal was recomputed, by this check and the ones that it continues' })
  checked!: number;
  @Int({
    optional: true,
    description: 'First entry that does not match its seal, or the last one checked, which is gone',
  })
  first_broken_position?: number;
  @Int({ description: 'Entries that wait for their seal, usually for a second or two' }) unsealed!: number;
  @Flag({ description: 'False when time ran out: continue with after_position' }) complete!: boolean;
  @Int({ description: 'The check began after this position; 0: at the beginning' }) checked_from!: number;
  @Int({ description: 'Last position checked' }) checked_to!: number;
  @Text({
    nullable: true,
    description: 'Seal of that position; store it elsewhere to prove that no entries were cut off at the end',
  })
  seal!: string | null;
}

const PATH = '/api/v2/public/orgs/{orgId}/audit-log';

export const listAuditLog = operation({
  name: 'audit-log.list',
  summary: 'List the actions in the organization, newest first',
  access: 'settings.read',
  roleScope: 'audit.read',
  path: PATH,
  query: AuditLogQuery,
  narrow: 'Narrow the range (from and to), or page by cursor.',
  reply: AuditLogResponse,
  alsoCsv: true,
});

export const verifyAuditLog = operation({
  name: 'audit-log.verify',
  summary: 'Check that no entry was changed, removed or inserted later',
  access: 'settings.read',
  roleScope: 'audit.read',
  path: `${PATH}/verify`,
  query: AuditVerifyQuery,
  reply: AuditVerifyResponse,
});
