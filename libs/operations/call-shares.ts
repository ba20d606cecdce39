import { isWarmUp } from '@offizin/contracts/calls/caller';
import type { Operation } from '@offizin/contracts/calls/operation';
import {
  type Activity,
  FairShares,
  type FairSharesOptions,
  organizations,
} from '@offizin/runtime/fair-shares';
import type { AroundCall, ReceivedCall } from './serve-operation';

/**
 * Shares the database time of a service among organizations (decision 0030). Cheap calls take no slot: the rate limit
 * of their key bounds them. Calls of our own processes take none either: the call that caused them holds one.
 */
export interface CallSharesOptions {
  databasePool: number;
  cheap: CheapCalls;
  apart?: ReadonlyMap<Operation, FairShares>;
  /** Default: that of the organizations in this process. */
  activity?: Activity;
}

export type CheapCalls = ReadonlyMap<Operation, readonly string[]>;

/** Larger bodies take time to parse, validate and write, whatever the operation. */
const CHEAP_BODY_BYTES = 16 * 1024;

/** The rest of the deadline (serve-operation.ts) is left for the work. */
export const SHARE_WAIT: Pick<FairSharesOptions, 'waitMs' | 'maxWaiting'> = {
  waitMs: 3_000,
  maxWaiting: 256,
};

/** A longer rest could make an organization miss the deadline. */
const MAX_REST_MS = 100;

export class CallShares {
  private readonly activity: Activity;
  private readonly database: FairShares;

  constructor(private readonly options: CallSharesOptions) {
    const { databasePool, activity = organizations } = options;
    this.activity = activity;
    this.database = new FairShares({
      name: 'database time',
      ...SHARE_WAIT,
      slots: Math.ceil((databasePool * 3) / 4),
      perParty: Math.ceil(databasePool / 2),
      perPartyBesideOthers: Math.ceil(databasePool / 16),
      maxRestMs: MAX_REST_MS,
      activity,
    });
  }

  around(inner: AroundCall): AroundCall {
    return (op, received, run) => {
      const { caller } = received;
      const { orgId } = caller;
      if (orgId === '' || op.access === 'internal' || isWarmUp(caller)) return inner(op, received, run);
      if (this.isCheap(op, received)) {
        this.activity.note(orgId);
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
