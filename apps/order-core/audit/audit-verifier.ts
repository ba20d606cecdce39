import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVerifyResponse } from '@offizin/contracts/audit';
import { invalid } from '@offizin/contracts/errors';
import type { Database } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { CHAIN_START, checkChain } from './audit-chain';
import {
  advanceCheckpoint,
  type ChainPlace,
  findCheckpoint,
  takeCheckpointBack,
} from './audit-checkpoint.store';
import { auditVerifications } from './audit-report';
import { forgedPosition, sealedStretch, sealOfPosition, unsealedCount } from './audit-seals.store';
import { BEFORE_ALL, INSTALLATION } from './sealer';

/** Entries of one statement; computing their seals holds up the event loop for a few milliseconds. */
const STEP_ENTRIES = 500;
/** A check ends after this and says that it is not complete; the caller continues with after_position. */
const VERIFY_MS = 1_000;
/** Of the check in the background: a million entries take an hour and a half, and little of a core. */
const PATROL_PAUSE_MS = 1_000;
const PATROL_ENTRIES = 200;

const BEGINNING: ChainPlace = { position: BEFORE_ALL, seal: CHAIN_START, checked: 0 };

/**
 * Recomputes the seals of the audit log, step by step. A check goes on from the checkpoint, where an earlier one ended,
 * so it costs what was written since. A check from the beginning is possible, too (after_position=0).
 *
 * In the background every process walks the whole log again and again. When it meets an entry that is not as it was
 * sealed, it takes the checkpoint back to the entry before: from then on every check finds the break.
 */
export class AuditVerifier {
  private readonly work: PeriodicWork;
  private patrolled = BEGINNING;

  constructor(
    private readonly database: Database,
    private readonly keys: { keyOf: (orgId: string) => Promise<Buffer> },
  ) {
    this.work = new PeriodicWork('check the audit log again', PATROL_PAUSE_MS, () => this.patrol());
  }

  start(): void {
    this.work.start();
  }

  async stop(): Promise<void> {
    await this.work.stop();
  }

  /** Behind the given position, or behind the checkpoint. Throws `Refused` for a position that has no seal. */
  async verify(afterPosition?: number): Promise<AuditVerifyResponse> {
    const key = await this.keys.keyOf(INSTALLATION);
    const from = await this.placeOf(key, afterPosition);
    const { place, brokenAt, complete } = await this.walk(key, from);
    const isWholeWalk = afterPosition === undefined && place.position !== from.position;
    if (isWholeWalk) await advanceCheckpoint(this.database, { ...place, mac: macOf(key, place) }, from);
    const status = brokenAt === null ? 'ok' : 'broken';
    auditVerifications.inc({ status });
    const isAtBeginning = place.position === BEFORE_ALL;
    return {
      ...{ status, checked: place.checked },
      ...(brokenAt !== null && { first_broken_position: Number(brokenAt) }),
      unsealed: await unsealedCount(this.database),
      complete,
      checked_to: isAtBeginning ? 0 : Number(place.position),
      seal: isAtBeginning ? null : place.seal.toString('hex'),
    };
  }

  /** One step of the check in the background; the next one begins anew when the end is reached. */
  async patrol(): Promise<void> {
    const key = await this.keys.keyOf(INSTALLATION);
    const { place, brokenAt, isEnd } = await this.step(key, this.patrolled, PATROL_ENTRIES);
    this.patrolled = brokenAt === null && !isEnd ? place : BEGINNING;
    if (brokenAt === null) return;
    auditVerifications.inc({ status: 'broken' });
    log.error({ position: brokenAt }, 'audit log broken');
    await takeCheckpointBack(this.database, { ...place, mac: macOf(key, place) });
  }

  /** Rests after each step as long as the step took: half of the time is left to others. */
  private async walk(
    key: Buffer,
    from: ChainPlace,
  ): Promise<{ place: ChainPlace; brokenAt: string | null; complete: boolean }> {
    const endsAtMs = performance.now() + VERIFY_MS;
    let place = from;
    for (;;) {
      const startedAtMs = performance.now();
      const { place: reached, brokenAt, isEnd } = await this.step(key, place, STEP_ENTRIES);
      place = reached;
      if (brokenAt !== null) return { place, brokenAt, complete: true };
      if (isEnd) return { place, brokenAt: await forgedPosition(this.database), complete: true };
      if (performance.now() > endsAtMs) return { place, brokenAt: null, complete: false };
      await pause(performance.now() - startedAtMs);
    }
  }

  /** The entries behind a place. A step ends at a seal, so what is sealed meanwhile comes in the next one. */
  private async step(
    key: Buffer,
    from: ChainPlace,
    limit: number,
  ): Promise<{ place: ChainPlace; brokenAt: string | null; isEnd: boolean }> {
    const entries = await sealedStretch(this.database, from.position, limit);
    const { checked, lastSeal, brokenAt } = checkChain(key, from.seal, entries);
    const position = entries[checked - 1]?.position ?? from.position;
    const place = { position, seal: lastSeal, checked: from.checked + checked };
    return { place, brokenAt, isEnd: entries.length === 0 };
  }

  private async placeOf(key: Buffer, afterPosition: number | undefined): Promise<ChainPlace> {
    if (afterPosition === undefined) return this.checkpoint(key);
    if (afterPosition === 0) return BEGINNING;
    const seal = await sealOfPosition(this.database, String(afterPosition));
    if (seal) return { position: String(afterPosition), seal, checked: 0 };
    throw invalid([{ field: 'after_position', message: 'is not a sealed position' }]);
  }

  /** The beginning where there is no checkpoint, or one that was not made with the key or whose seal is gone. */
  private async checkpoint(key: Buffer): Promise<ChainPlace> {
    const found = await findCheckpoint(this.database);
    if (!found?.mac.equals(macOf(key, found))) return BEGINNING;
    const seal = await sealOfPosition(this.database, found.position);
    return seal?.equals(found.seal) ? found : BEGINNING;
  }
}

function macOf(key: Buffer, { position, seal, checked }: ChainPlace): Buffer {
  return createHmac('sha256', key).update(`checkpoint ${position} ${checked} `).update(seal).digest();
}
