import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditVerifyResponse } from '@offizin/contracts/reports/audit';
import { invalid } from '@offizin/contracts/calls/errors';
import type { Database } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { CHAIN_START, checkChain } from './audit-chain';
import {
  advanceCheckpoint,
  type ChainPlace,
  findCheckpoint,
  forgedPosition,
  rewindCheckpoint,
  sealedStretch,
  sealOfPosition,
  unsealedCount,
} from './audit-seals.store';
import { auditVerifications } from './audit-report';
import { BEFORE_ALL, INSTALLATION } from './sealer';

/** Entries of one statement; computing their seals blocks the event loop briefly. */
const STEP_ENTRIES = 500;
/** A check stops after this time and reports itself incomplete; the caller continues with after_position. */
const VERIFY_MS = 1_000;
/** Pace of the background check: it must use little of one core. */
const PATROL_PAUSE_MS = 1_000;
const PATROL_ENTRIES = 200;

const BEGINNING: ChainPlace = { position: BEFORE_ALL, seal: CHAIN_START, checked: 0 };

/**
 * Recomputes the seals of the audit log in steps. A check starts at the checkpoint, where an earlier check ended, so
 * its cost depends on the new entries only. With after_position=0 it starts at the beginning.
 *
 * In the background every process checks the whole log repeatedly. On a broken entry it moves the checkpoint back to
 * the entry before it; from then on every check finds the break.
 */
export class AuditVerifier {
  readonly work = new PeriodicWork('check the audit log again', PATROL_PAUSE_MS, () => this.patrol());
  private patrolled = BEGINNING;

  constructor(
    private readonly database: Database,
    private readonly keys: { keyOf: (orgId: string) => Promise<Buffer> },
  ) {}

  /** Starts after the given position, or at the checkpoint. Throws `Refused` for a position without a seal. */
  async verify(afterPosition?: number): Promise<AuditVerifyResponse> {
    const key = await this.keys.keyOf(INSTALLATION);
    const checkpoint = await this.checkpoint(key);
    const from = afterPosition === undefined ? checkpoint.place : await this.placeOf(afterPosition);
    const { place, complete, ...walked } = await this.walk(key, from);
    const brokenAt = walked.brokenAt ?? checkpoint.lostPosition;
    if (checkpoint.lostPosition === null) await this.advance(key, checkpoint.place, { from, to: place });
    const status = brokenAt === null ? 'ok' : 'broken';
    auditVerifications.inc({ status });
    const isAtBeginning = place.position === BEFORE_ALL;
    return {
      status,
      checked: place.checked,
      ...(brokenAt !== null && { first_broken_position: Number(brokenAt) }),
      unsealed: await unsealedCount(this.database),
      complete: complete || brokenAt !== null,
      checked_from: from === BEGINNING ? 0 : Number(from.position),
      checked_to: isAtBeginning ? 0 : Number(place.position),
      seal: isAtBeginning ? null : place.seal.toString('hex'),
    };
  }

  /** The checkpoint follows each check that began at the beginning or at the checkpoint itself. */
  private async advance(
    key: Buffer,
    present: ChainPlace,
    { from, to }: { from: ChainPlace; to: ChainPlace },
  ): Promise<void> {
    const isConnected = from === BEGINNING || from.position === present.position;
    if (!isConnected || BigInt(to.position) <= BigInt(present.position)) return;
    const checked = to.checked + (from === BEGINNING ? 0 : present.checked - from.checked);
    const place = { ...to, checked };
    await advanceCheckpoint(this.database, { ...place, mac: macOf(key, place) }, present);
  }

  /** One step of the background check; after the end it starts again at the beginning. */
  async patrol(): Promise<void> {
    const key = await this.keys.keyOf(INSTALLATION);
    const { place, brokenAt, isEnd } = await this.step(key, this.patrolled, PATROL_ENTRIES);
    this.patrolled = brokenAt === null && !isEnd ? place : BEGINNING;
    if (brokenAt === null) return;
    auditVerifications.inc({ status: 'broken' });
    log.error({ position: brokenAt }, 'audit log broken');
    await rewindCheckpoint(this.database, { ...place, mac: macOf(key, place) });
  }

  /** Pauses after each step for the duration of the step, which leaves half of the time to other work. */
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

  /** The entries after a position. A step ends at a seal; entries sealed meanwhile belong to the next step. */
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

  private async placeOf(afterPosition: number): Promise<ChainPlace> {
    if (afterPosition === 0) return BEGINNING;
    const seal = await sealOfPosition(this.database, String(afterPosition));
    if (seal) return { position: String(afterPosition), seal, checked: 0 };
    throw invalid([{ field: 'after_position', message: 'is not a sealed position' }]);
  }

  /**
   * The beginning where there is no checkpoint. `lostPosition` is that of a checkpoint with a wrong MAC, written without
   * the key, or of a valid one whose seal is gone: checked entries have been removed or replaced.
   */
  private async checkpoint(key: Buffer): Promise<{ place: ChainPlace; lostPosition: string | null }> {
    const found = await findCheckpoint(this.database);
    if (!found) return { place: BEGINNING, lostPosition: null };
    if (!found.mac.equals(macOf(key, found))) return { place: BEGINNING, lostPosition: found.position };
    if (found.position === BEFORE_ALL) return { place: BEGINNING, lostPosition: null };
    const seal = await sealOfPosition(this.database, found.position);
    if (seal?.equals(found.seal)) return { place: found, lostPosition: null };
    return { place: BEGINNING, lostPosition: found.position };
  }
}

function macOf(key: Buffer, { position, seal, checked }: ChainPlace): Buffer {
  return createHmac('sha256', key).update(`checkpoint ${position} ${checked} `).update(seal).digest();
}
