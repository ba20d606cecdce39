import { Text, Timestamp } from '../calls/fields';

/** Limit of actor, action, object and request id. */
const MAX_AUDIT_TEXT = 500;

/**
 * An audit entry from a service other than order-core. The transaction of the change writes it to the service's
 * outbox; order-core enters it in the audit log once per id. Ids only: no customer data, no secrets.
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
