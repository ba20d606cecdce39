import { Refused } from '@offizin/contracts/calls/errors';
import { type Sql, statement } from '@offizin/pg/database';
import { valueOf } from '@offizin/pg/queries';
import type { OrderRequestVersionEntity } from '../../db/request-entities';
import {
  COLUMNS,
  type NewOrderRequest,
  NO_FIRST_APPROVAL,
  NO_OPEN_OFFER,
  type OrderRequestRow,
} from './order-requests.store';

/** Versions of an order request: its row holds the current one, order_request_versions the earlier ones. */

/** See docs/contract.md#order-requests */
const MAX_VERSIONS = 50;
const MAX_NEW_VERSIONS_PER_MINUTE = 6;

export type VersionRow = Pick<
  OrderRequestVersionEntity,
  'number' | 'payload_ciphertext' | 'question' | 'created_at'
>;

type NewContent = Omit<NewOrderRequest, 'id' | 'shopId' | 'source' | 'externalReference'>;
type LinesContent = Pick<
  NewContent,
  | ('payloadCiphertext' | 'payloadDigest' | 'totalAmount' | 'lineWords')
  | ('linesCiphertext' | 'lineCount' | 'shippingOption')
>;

/** True for a payload of any earlier or current version: such a submission is a repeat, not an answer. */
export const isKnownVersion = valueOf<boolean, [requestId: string, digest: Buffer]>(
  'order_request_version_known',
  `SELECT EXISTS (SELECT FROM core.order_requests WHERE id = $1 AND payload_digest = $2)
       OR EXISTS (SELECT FROM core.order_request_versions WHERE order_request_id = $1 AND payload_digest = $2) AS known`,
  false,
);
const earlier = statement<VersionRow, VersionBounds & { orgId: string; requestId: string }>(
  'order_request_versions',
  `SELECT number, payload_ciphertext, question, created_at FROM (
     SELECT v.*, row_number() OVER newest AS place, sum(octet_length(payload_ciphertext)) OVER newest AS bytes
     FROM (SELECT number, payload_ciphertext, question, created_at FROM core.order_request_versions
           WHERE org_id = $orgId::uuid AND order_request_id = $requestId::uuid AND number < $before::int
           ORDER BY number DESC LIMIT $limit::int) v
     WINDOW newest AS (ORDER BY number DESC)) page
   WHERE bytes <= $bytes::int OR place <= $minimum::int ORDER BY number DESC`,
);
/** Until the version of this number is a minute old; the first one, which is not a new version, does not count. */
const secondsToWait = statement<{ seconds: number }, [string, number]>(
  'order_request_version_wait',
  `SELECT ceil(extract(epoch FROM created_at - now()) + 60)::int AS seconds FROM core.order_request_versions
   WHERE order_request_id = $1 AND number = $2 AND number > 1 AND created_at > now() - interval '1 minute'`,
);
/** Raises the attempt, so that a pending approval of the previous version cannot commit. */
const nextVersionSql = (content: string, offer = NO_OPEN_OFFER): string =>
  `WITH kept AS (
     INSERT INTO core.order_request_versions (order_request_id, number, org_id, payload_ciphertext, payload_digest,
                                              question, created_at, customer_digest, e_prescription_digest)
     SELECT id, version, org_id, payload_ciphertext, payload_digest, question, coalesce(version_at, created_at),
            customer_digest, e_prescription_digest
     FROM core.order_requests WHERE org_id = $orgId AND id = $id AND status IN ('pending', 'needs_clarification')
     RETURNING order_request_id
   )
   UPDATE core.order_requests r SET status = 'pending', version = r.version + 1, version_at = now(), question = NULL,
          ${content}${offer}, ${NO_FIRST_APPROVAL}, attempt = r.attempt + 1, sequence = r.sequence + 1, updated_at = now(),
          parked_until = NULL
   FROM kept WHERE r.id = kept.order_request_id
   RETURNING ${COLUMNS}`;
const WITH_LINES = `payload_ciphertext = $payloadCiphertext, payload_digest = $payloadDigest, total_amount = $totalAmount,
          line_words = $lineWords, lines_ciphertext = $linesCiphertext, line_count = $lineCount,
          shipping_option = $shippingOption, `;
/** With one more document. */
const insertSame = statement<OrderRequestRow, { orgId: string; id: string }>(
  'order_request_same_payload',
  nextVersionSql(''),
);
const insertNext = statement<OrderRequestRow, NewContent & { orgId: string; id: string }>(
  'order_request_replace_version',
  nextVersionSql(
    `${WITH_LINES}customer_name = $customerName, customer_digest = $customerDigest,
          metadata = core.merged_metadata(r.metadata, $metadata::jsonb),
          metadata_versions = r.metadata_versions || coalesce((SELECT jsonb_object_agg(sent.key, r.version + 1)
            FROM jsonb_object_keys(CASE jsonb_typeof($metadata::jsonb) WHEN 'object' THEN $metadata::jsonb ELSE '{}' END) sent (key)), '{}'),
          e_prescription_ciphertext = $ePrescriptionCiphertext, e_prescription_digest = $ePrescriptionDigest, `,
  ),
);

/** With the lines of the offer. Customer, metadata and e-prescription stay. */
const insertAccepted = statement<
  OrderRequestRow,
  LinesContent & { orgId: string; id: string; offer: Buffer }
>(
  'order_request_accept_offer',
  nextVersionSql(
    WITH_LINES,
    `offer_ciphertext = $offer, offer_state = 'accepted', offer_version = r.version + 1`,
  ),
);

/** Without these limits a sender keeps its request undecidable. Throws `Refused`. The caller has locked the row. */
export async function refuseTooManyVersions(tx: Sql, id: string, version: number): Promise<void> {
  if (version >= MAX_VERSIONS) {
    const message = `The request has ${MAX_VERSIONS} versions, and takes no more: withdraw it and send another.`;
    throw new Refused('conflict', message);
  }
  const [wait] = await tx.rows(secondsToWait, id, version + 1 - MAX_NEW_VERSIONS_PER_MINUTE);
  if (!wait) return;
  const message = `A request takes ${MAX_NEW_VERSIONS_PER_MINUTE} new versions a minute: wait ${wait.seconds} s, then repeat.`;
  throw new Refused('rate_limited', message, undefined, { 'retry-after': String(wait.seconds) });
}

/** Its sender could not answer a question. Throws `Refused`. */
export function refuseAfterLastVersion(version: number): void {
  if (version < MAX_VERSIONS) return;
  const message = `The request has ${MAX_VERSIONS} versions, and takes no answer: decide it, or reject it with a message.`;
  throw new Refused('conflict', message);
}

/** Bounds of a page of versions; at least `minimum` rows are read, whatever their size. */
export interface VersionBounds {
  before: number;
  limit: number;
  bytes: number;
  minimum: number;
}

/** Newest first. */
export async function earlierVersions(
  sql: Sql,
  orgId: string,
  requestId: string,
  bounds: VersionBounds,
): Promise<VersionRow[]> {
  return sql.rows(earlier, { ...bounds, orgId, requestId });
}

/**
 * Stores the new version and makes the request pending; the payload stays where none is given. An accepted offer brings
 * its lines only. The caller has locked the row, in a state that allows it.
 */
export async function insertVersion(
  tx: Sql,
  of: { orgId: string; id: string },
  given: NewContent | null,
  offer?: Buffer,
): Promise<OrderRequestRow> {
  const rows = given
    ? offer
      ? tx.rows(insertAccepted, { ...given, ...of, offer })
      : tx.rows(insertNext, { ...given, ...of })
    : tx.rows(insertSame, of);
  const [row] = await rows;
  if (!row) throw new Error(`order request ${of.id} was not locked undecided`);
  return row;
}
