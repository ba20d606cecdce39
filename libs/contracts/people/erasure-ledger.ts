import type { Caller } from '../calls/caller';
import { OneOf, Text } from '../calls/fields';

/** One erasure in the ledger. Of the e-mail it holds only a hash under the organization's data key. */
export class ErasureLedgerEntry {
  @Text({ format: 'uuid' }) id!: string;
  @Text({ format: 'uuid' }) org_id!: string;
  /** Hexadecimal; null for an erasure by id. */
  @Text({ nullable: true }) email_hash!: string | null;
  @OneOf(['order', 'order-request', 'prescription'], { nullable: true })
  object_kind!: 'order' | 'order-request' | 'prescription' | null;
  @Text({ format: 'uuid', nullable: true }) object_id!: string | null;
  @OneOf(['key', 'integration', 'platform', 'service']) actor_kind!: Caller['kind'];
  @Text() actor_id!: string;
  @Text() request_id!: string;
}
