import { Text, Timestamp } from './fields';

/** No actor, action, object or request id is longer. */
const MAX_AUDIT_TEXT = 500;

/**
 * What a service other than order-core did, on its way to the audit log: written into the service's outbox by the
 * transaction of the change, and entered by order-core once per id. Ids only: no customer data, no secrets.
 */
export class AuditRecord {
  @Text({ format: 'uuid' }) id!: string;
  @Text({ format: 'uuid' }) org_id!: string;
  /** Time of the change. */
  @Timestamp() at!: string;
  @Text({ maxLength: MAX_AUDIT_TEXT }) actor!: string;
  @Text({ maxLength: MAX_AUDIT_TEXT }) action!: string;
  @Text({ maxLength: MAX_AUDIT_TEXT }) object!: string;
  @Text({ maxLength: MAX_AUDIT_TEXT }) request_id!: string;
}
