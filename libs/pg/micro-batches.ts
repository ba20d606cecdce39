import { Refused, TooSlow, Unreachable } from '@offizin/contracts/calls/errors';
import { isRefusedStatement } from './database';

/**
 * A batch never waits to fill. Members of a refused batch run again one by one. A batch that may have taken effect is
 * not repeated: each member is rejected.
 */
export interface MicroBatchOptions<Member, Result> {
  /** Resolves with one result per member, in their order. */
  run: (members: Member[]) => Promise<Result[]>;
  /** Members of one key never run concurrently: the later runs after the earlier. */
  keyOf: (member: Member) => string;
  /** Members of one key may share a batch: `run` applies them in their order. */
  sharesKeys?: boolean;
  /** Runs alone, so that small members do not wait for its statement. */
  isLarge?: (member: Member) => boolean;
  maxRunning?: number;
  maxMembers?: number;
}

/** More would gain little and make the last caller of a batch wait longer. */
const MAX_MEMBERS = 64;
/** More than one, so that one computes while another waits for the disk. */
const MAX_RUNNING = 3;

interface Waiting<Member, Result> {
  member: Member;
  key: string;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export class MicroBatches<Member, Result> {
  private waiting: Waiting<Member, Result>[] = [];
  private readonly runningKeys = new Set<string>();
  private running = 0;
  private isPlanned = false;

  constructor(private readonly options: MicroBatchOptions<Member, Result>) {}

  submit(member: Member): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ member, key: this.options.keyOf(member), resolve, reject });
      this.plan();
    });
  }

  /** At the end of the tick: members that arrived in one packet share a statement. */
  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    setImmediate(() => {
      this.isPlanned = false;
      this.startBatches();
    });
  }

  private startBatches(): void {
    const { maxRunning = MAX_RUNNING } = this.options;
    while (this.running < maxRunning) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      this.running++;
      void this.runBatch(batch).finally(() => {
        this.running--;
        for (const { key } of batch) this.runningKeys.delete(key);
        this.startBatches();
      });
    }
  }

  private takeBatch(): Waiting<Member, Result>[] {
    const { maxMembers = MAX_MEMBERS, isLarge = () => false, sharesKeys = false } = this.options;
    const batch: Waiting<Member, Result>[] = [];
    const postponed: Waiting<Member, Result>[] = [];
    /** Later members of these keys must stay, too. */
    const postponedKeys = new Set<string>();
    const sharedKeys = new Set<string>();
    let isFull = false;
    for (const entry of this.waiting) {
      const { key, member } = entry;
      const runsAlone = isLarge(member);
      const isRunning = this.runningKeys.has(key) && !sharedKeys.has(key);
      const mustWait = isRunning || postponedKeys.has(key);
      if (isFull || mustWait || (runsAlone && batch.length > 0)) {
        postponedKeys.add(key);
        postponed.push(entry);
        continue;
      }
      this.runningKeys.add(key);
      if (sharesKeys) sharedKeys.add(key);
      batch.push(entry);
      isFull = runsAlone || batch.length === maxMembers;
    }
    this.waiting = postponed;
    return batch;
  }

  private async runBatch(batch: Waiting<Member, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map(({ member }) => member));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('a batch returned no result for one of its members'));
        else resolve(result);
      });
    } catch (error) {
      if (batch.length > 1 && (isRefusedStatement(error) || error instanceof Refused)) {
        for (const entry of batch) await this.runBatch([entry]);
      } else {
        for (const { reject } of batch) reject(error);
        // The waiting members would run into the same timeout one after the other.
        if (error instanceof Unreachable && !(error instanceof TooSlow))
          for (const { reject } of this.waiting.splice(0)) reject(error);
      }
    }
  }
}
