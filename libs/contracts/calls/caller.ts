import type { StaffScope } from '../people/scopes';

/**
 * The authenticated caller, signed by an edge (runtime/call-keys.ts). A service trusts nothing else.
 * `key`: an organization API key through a token. `integration`: a connector key on a shop's domain.
 * `staff`: a person in the console.
 * `platform`: the operator's command line. `service`: one of our own processes.
 */
export interface Caller {
  kind: 'key' | 'integration' | 'staff' | 'platform' | 'service';
  /** Organization the caller acts for; empty for `platform` and `service`. */
  orgId: string;
  /** Shop that a connector call came in through; null elsewhere. */
  shopId: string | null;
  /** API key id, staff id, or the name of the process or the operator. */
  actorId: string;
  /** Only of `integration`, at a test shop. */
  atTestShop?: true;
  /** Only of `staff`: order-core checks in each writing transaction that this session is live. */
  sessionId?: string;
  /** Only of `staff`: the last confirmation by password or passkey counts until then. */
  confirmedUntil?: string;
  scopes: readonly StaffScope[];
  /** When the call began: at its edge, else in the service that runs it. Time since 1970. */
  begunAtMs?: number;
  /** Part of every hop, log line and event. */
  requestId: string;
}

/** The actor in the form of the audit log. */
export function actorOf({ kind, actorId }: Pick<Caller, 'kind' | 'actorId'>): string {
  return `${kind}:${actorId}`;
}

/**
 * Organization of the calls by which a starting process warms up. It never exists: ids are UUIDv7. Not the nil UUID, which
 * means the installation in the audit log and every shop in the counters.
 */
export const WARM_UP_ORG_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Calls of a warm-up find and write nothing, and are not recorded, because no caller made them. */
export function isWarmUp({ orgId }: { orgId: string }): boolean {
  return orgId === WARM_UP_ORG_ID;
}

/** One of our own processes as caller, for service-to-service operations. */
export function serviceCaller(name: string, requestId: string): Caller {
  return { kind: 'service', orgId: '', shopId: null, actorId: name, scopes: [], requestId };
}
