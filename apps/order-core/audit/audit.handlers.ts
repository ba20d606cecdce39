import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type AuditLogResponse,
  type AuditVerifyResponse,
  listAuditLog,
  verifyAuditLog,
} from '@offizin/contracts/audit';
import { invalid } from '@offizin/contracts/errors';
import { type EventIds, unknownEvents } from '@offizin/contracts/event-feed';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { DataKeys } from '../documents/data-keys.store';
import { CHAIN_START, checkChain } from './audit-chain';
import { listAudit } from './audit-list.store';
import { unknownRecordIds } from './audit-records.store';
import { auditVerifications } from './audit-report';
import { forgedPosition, sealedStretch, sealOfPosition, unsealedCount } from './audit-seals.store';
import { BEFORE_ALL, INSTALLATION } from './sealer';

const unknownToOrderCore = unknownEvents('order-core');
const STRETCH_ENTRIES = 2_000;
/** Well within what a caller of the bus waits; the rest is asked for with after_position. */
const VERIFY_MS = 3_000;

/** Reading the audit log, and checking its seals. */
@Controller()
export class AuditHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles(listAuditLog)
  async list({ caller, query }: Call<typeof listAuditLog>): Promise<Answer<AuditLogResponse>> {
    return ok(await listAudit(this.database, caller.orgId, query));
  }

  /** What the outboxes of other services ask, before they forget a record. */
  @Handles(unknownToOrderCore)
  async unknown({ body }: Call<typeof unknownToOrderCore>): Promise<Answer<EventIds>> {
    const wrong = body.ids.findIndex((id) => !isId(id));
    if (wrong !== -1) throw invalid([{ field: `ids[${wrong}]`, message: 'must be a UUID' }]);
    return ok({ ids: await unknownRecordIds(this.database, body.ids) });
  }

  /** Stretch by stretch, each in one statement: a stretch ends at a seal, so what is sealed meanwhile comes later. */
  @Handles(verifyAuditLog)
  async verify({ query }: Call<typeof verifyAuditLog>): Promise<Answer<AuditVerifyResponse>> {
    const endsAtMs = Date.now() + VERIFY_MS;
    const key = await this.dataKeys.keyOf(INSTALLATION);
    let seal = await this.sealBefore(query.after_position);
    let after = query.after_position === 0 ? BEFORE_ALL : String(query.after_position);
    let checked = 0;
    for (;;) {
      const stretch = await sealedStretch(this.database, after, STRETCH_ENTRIES);
      const check = checkChain(key, seal, stretch);
      checked += check.checked;
      if (check.brokenAt !== null) return this.answer({ checked, after, seal, brokenAt: check.brokenAt });
      seal = check.lastSeal;
      after = stretch.at(-1)?.position ?? after;
      if (stretch.length === 0) {
        return this.answer({ checked, after, seal, brokenAt: await forgedPosition(this.database) });
      }
      if (Date.now() > endsAtMs)
        return this.answer({ checked, after, seal, brokenAt: null, complete: false });
    }
  }

  private async sealBefore(position: number): Promise<Buffer> {
    if (position === 0) return CHAIN_START;
    const seal = await sealOfPosition(this.database, String(position));
    if (seal) return seal;
    throw invalid([{ field: 'after_position', message: 'is not a sealed position' }]);
  }

  private async answer(found: {
    checked: number;
    after: string;
    seal: Buffer;
    brokenAt: string | null;
    complete?: boolean;
  }): Promise<Answer<AuditVerifyResponse>> {
    const { checked, after, seal, brokenAt, complete = true } = found;
    auditVerifications.inc({ status: brokenAt === null ? 'ok' : 'broken' });
    return ok({
      status: brokenAt === null ? 'ok' : 'broken',
      checked,
      ...(brokenAt !== null && { first_broken_position: Number(brokenAt) }),
      unsealed: await unsealedCount(this.database),
      complete,
      checked_to: after === BEFORE_ALL ? 0 : Number(after),
      seal: after === BEFORE_ALL ? null : seal.toString('hex'),
    });
  }
}
