import type { Operation } from '@offizin/contracts/operation';
import { FairShares, type FairSharesOptions } from '@offizin/runtime/fair-shares';
import type { AroundCall, ReceivedCall } from './serve-operation';

/**
 * Database time of one service, shared by organization. A call takes a slot before anything of it is parsed and keeps
 * it until its work has ended, also where its answer was given before.
 *
 * Calls that are cheap by nature take no slot: they share statements with calls of other organizations (micro-batches,
 * shared reads), and the rate limit of a key bounds them. They only tell that their organization is active. Calls of
 * our own processes take no slot either: the call that caused them has one.
 */
export interface CallSharesOptions {
  /** Connections of the service; most of them may be used by calls that hold a slot. */
  databasePool: number;
  /** Operations that are cheap, each with the query parameters that keep it so. */
  cheap: CheapCalls;
  /** Operations that wait for a slot of another resource first. */
  apart?: ReadonlyMap<Operation, FairShares>;
}

export type CheapCalls = ReadonlyMap<Operation, readonly string[]>;

/** A larger body takes its time to parse, to validate and to write, whatever the operation. */
const CHEAP_BODY_BYTES = 16 * 1024;

/** How long a call waits for a slot; the rest of the time for an answer (deadline.ts) is left to its work. */
export const SHARE_WAIT: Pick<FairSharesOptions, 'waitMs' | 'maxWaiting'> = {
  waitMs: 3_000,
  maxWaiting: 256,
};

/** Longer ones would cost a party its turn at an answer in time. */
const MAX_REST_MS = 100;

export class CallShares {
  private readonly database: FairShares;

  constructor(private readonly options: CallSharesOptions) {
    const { databasePool } = options;
    this.database = new FairShares({
      ...{ name: 'database time', ...SHARE_WAIT },
      slots: Math.ceil((databasePool * 3) / 4),
      perParty: Math.ceil(databasePool / 2),
      perPartyBesideOthers: Math.ceil(databasePool / 16),
      maxRestMs: MAX_REST_MS,
    });
  }

  /** Puts the wait for a slot in front of `inner`. */
  around(inner: AroundCall): AroundCall {
    return (op, received, run) => {
      const { orgId } = received.caller;
      if (orgId === '' || op.access === 'internal') return inner(op, received, run);
      if (this.isCheap(op, received)) {
        this.database.noteActive(orgId);
        return inner(op, received, run);
      }
      const work = () => this.database.run(orgId, () => inner(op, received, run));
      const first = this.options.apart?.get(op);
      return first ? first.run(orgId, work) : work();
    };
  }

  private isCheap(op: Operation, { body, opened, queryString }: ReceivedCall): boolean {
    const parameters = this.options.cheap.get(op);
    if (!parameters || opened || body.length > CHEAP_BODY_BYTES) return false;
    if (queryString === '') return true;
    return queryString.split('&').every((part) => parameters.includes(part.slice(0, part.indexOf('='))));
  }
}
