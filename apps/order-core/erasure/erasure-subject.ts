import type { EraseCustomerBody } from '@offizin/contracts/people/customers';
import { invalid } from '@offizin/contracts/calls/errors';
import type { ErasureEntity } from '../db/request-entities';

/** An erasure concerns an e-mail, or one object with the objects that belong to it. */
export type ErasureSubject = { kind: 'email'; email: string } | ErasedObject;

export interface ErasedObject {
  kind: NonNullable<ErasureEntity['object_kind']>;
  id: string;
}

const FIELDS = ['email', 'order_id', 'order_request_id', 'prescription_id'] as const;
const KIND_OF_FIELD = {
  order_id: 'order',
  order_request_id: 'order-request',
  prescription_id: 'prescription',
} as const satisfies Record<string, ErasedObject['kind']>;

/** Throws `Refused` (invalid_request) unless exactly one field is set. */
export function subjectOf(body: EraseCustomerBody): ErasureSubject {
  const given = FIELDS.flatMap((field) => {
    const value = body[field];
    return value === undefined ? [] : [{ field, value }];
  });
  const [first, ...more] = given;
  if (!first) {
    throw invalid([{ field: 'body', message: `must hold exactly one of ${FIELDS.join(', ')}` }]);
  }
  if (more.length > 0) {
    const problems = given.map(({ field }) => {
      const others = given.filter((other) => other.field !== field).map((other) => other.field);
      return { field, message: `must not be given together with ${others.join(', ')}` };
    });
    throw invalid(problems);
  }
  const { field, value } = first;
  return field === 'email' ? { kind: 'email', email: value } : { kind: KIND_OF_FIELD[field], id: value };
}

/** The audit log names an e-mail only by its keyed hash. */
export function auditObjectOf(job: {
  email_hash: Buffer | null;
  object_kind: ErasedObject['kind'] | null;
  object_id: string | null;
}): string {
  if (job.email_hash) return `customer:${job.email_hash.toString('hex')}`;
  return `${job.object_kind}:${job.object_id}`;
}
