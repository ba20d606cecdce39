import { Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { internalOperation } from '../calls/operation';
import { ROLES, type Role } from './roles';

/** Between a gateway and order-core: a session that the replica does not have yet, and when sessions were used. */

export class LiveSession {
  @OneOf(['session']) type!: 'session';
  @Text({ format: 'uuid' }) session_id!: string;
  @Text({ format: 'uuid' }) staff_id!: string;
  @Text({ format: 'uuid' }) org_id!: string;
  @Text({ description: 'Hex SHA-256 of the token' }) hash!: string;
  @OneOf(ROLES) role!: Role;
  @Timestamp() ends_at!: string;
  @Timestamp({ description: 'Of the last confirmation by password or passkey' }) confirmed_until!: string;
}

export class FindSessionBody {
  @Text({ minLength: 64, maxLength: 64, description: 'Hex SHA-256 of the token' }) hash!: string;
}

export class FindSessionResponse {
  @Nested(() => LiveSession, { nullable: true, description: 'The record of the directory' })
  session!: LiveSession | null;
}

export class SessionUse {
  @Text({ format: 'uuid' }) session_id!: string;
  @Timestamp() at!: string;
}

export class SessionsUsedBody {
  @Nested(() => SessionUse, { list: { maxItems: 1_000 } }) uses!: SessionUse[];
}

export class SessionsUsedResponse {
  @Int({ description: 'Sessions whose last use moved forward' }) updated!: number;
}

export const findSession = internalOperation({
  name: 'sessions.find',
  summary: 'Find a live session by the hash of its token',
  body: FindSessionBody,
  reply: FindSessionResponse,
});

export const sessionsUsed = internalOperation({
  name: 'sessions.used',
  summary: 'Report uses of sessions',
  body: SessionsUsedBody,
  reply: SessionsUsedResponse,
});
