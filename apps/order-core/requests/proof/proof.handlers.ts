import { createHash } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { actorOf } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import {
  listProofKeys,
  type ProofKeySet,
  readRequestProof,
  type RequestProof,
} from '@offizin/contracts/requests/request-proof';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { chainHead } from '../../audit/audit-seals.store';
import { ProofSigner } from '../../audit/proof-signer';
import { ReadAudit } from '../../audit/read-audit';
import { DataKeys } from '../../crypto/data-keys.store';
import { documentsOf } from '../../documents/documents/documents.store';
import { lockRequest } from '../intake/order-requests.store';
import { openedAnswer } from '../intake/read-back.store';
import { openedOverride } from '../review/corrections';
import { isUndecided } from '../review/decision';
import { contentOfFirst } from '../review/four-eyes.store';
import { decisiveAct, proofOf, type ProvenRows } from './proof';
import { allMarks, auditedActs, provenOrder, versionsOf } from './proof.store';

/**
 * A proof of a decision: what the rows say about it, without a customer's data, signed, with the seals of the audit log. Each
 * proof is an entry of that log, with the hash of what was signed.
 */
@Controller()
export class ProofHandlers {
  private readonly audit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly signer: ProofSigner,
  ) {
    this.audit = new ReadAudit(database);
  }

  @Handles(readRequestProof)
  async read({
    caller,
    params: { requestId },
  }: Call<typeof readRequestProof>): Promise<Answer<RequestProof>> {
    const { orgId } = caller;
    if (!isId(requestId)) throw notFound('order request');
    const key = await this.dataKeys.keyOf(orgId);
    const rows = await this.database.transaction((tx) => provenRows(tx, { orgId, requestId, key }));
    const proof = proofOf(rows, { at: new Date().toISOString(), to: actorOf(caller) });
    const hash = createHash('sha256').update(canonicalJson(proof)).digest('hex');
    await this.audit.append(caller, 'order-request.prove', `order-request:${proof.request.id}:proof:${hash}`);
    return okJson(JSON.stringify({ ...proof, signature: this.signer.signatureOf(proof) }));
  }

  @Handles(listProofKeys)
  keys(): Promise<Answer<ProofKeySet>> {
    return Promise.resolve(ok({ keys: [...this.signer.publicKeys] }));
  }
}

/**
 * The request is locked, so that all rows are those of before an erasure, or of after it. Throws `Refused`: not_found, and
 * conflict for a request that is not decided, and until its decision is sealed, a second or two.
 */
async function provenRows(
  tx: Sql,
  { orgId, requestId, key }: { orgId: string; requestId: string; key: Buffer },
): Promise<ProvenRows> {
  const request = await lockRequest(tx, orgId, requestId);
  if (!request) throw notFound('order request');
  if (isUndecided(request.status)) {
    const message = `A proof is about a decision, and the request is ${request.status}.`;
    throw new Refused('conflict', message);
  }
  const { id, order_id: orderId } = request;
  const acts = await auditedActs(tx, orgId, `order-request:${id}`, orderId && `order:${orderId}`);
  // Read after the entries, so that it covers the seal of each.
  const head = await chainHead(tx);
  if (head === null || decisiveAct(id, acts)?.seal === null) throw notSealed();
  return {
    request,
    versions: await versionsOf(tx, orgId, id),
    documents: await documentsOf(tx, orgId, id),
    marks: await allMarks(tx, orgId, id),
    acts,
    order: orderId === null ? null : await provenOrder(tx, orgId, orderId),
    answer: openedAnswer(key, request),
    override: openedOverride(key, request),
    firstOverride: contentOfFirst(key, request)?.override ?? null,
    head: { position: head.position, seal: head.hash.toString('hex') },
  };
}

function notSealed(): Refused {
  const message = 'The decision is not sealed in the audit log yet: ask again in a second.';
  return new Refused('conflict', message, undefined, { 'retry-after': '1' });
}
