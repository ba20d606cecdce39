import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '@offizin/contracts/calls/caller';
import { setLots } from '@offizin/contracts/orders/lots';
import { addParcel } from '@offizin/contracts/orders/parcels';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { addDocument } from '@offizin/contracts/requests/added-documents';
import * as requests from '@offizin/contracts/requests/order-request-review';
import { cancelOrderRequest } from '@offizin/contracts/requests/order-requests';
import { listProofKeys, type ProofEntry, readRequestProof } from '@offizin/contracts/requests/request-proof';
import * as review from '@offizin/contracts/requests/review';
import { setReviewSettings } from '@offizin/contracts/requests/review-settings';
import { newId } from '@offizin/pg/ids';
import { changeOf } from '@offizin/pg/queries';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { makePdf } from '@offizin/testkit/pdf';
import { AuditSealer } from '../../audit/sealer';
import { ProofSigner } from '../../audit/proof-signer';
import { catalogSpec } from '../../spec/fake-catalog';
import { erasureHandlers, expireRequests, lotHandlers, parcelHandlers } from '../../spec/request-handlers';
import { CHECKER, runChecker, runNode, tamperedTexts } from '../../spec/proof-checker';
import { ReviewFixture } from '../../spec/review-fixture';
import { approvalHandlers, type OrderCoreFixture } from '../../spec/spec-fixture';
import { ReviewSettingsHandlers } from '../review/review-settings.handlers';
import { ProofHandlers } from './proof.handlers';

/** A proof of a decision: what it says, to whom, and that docs/integrate/verify-proof.mjs finds every change of it. */

const { privateKey } = generateKeyPairSync('ed25519');
const SIGNER = ProofSigner.of(
  JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'spec' }] }),
);
const KEYS = { keys: SIGNER.publicKeys };
const EMAIL = 'erika@example.org';
const NUMBER = '00340434161094042557';
const LINE = { p1_id: 'p1', name: 'Blüte', price: 9.95 };
const PDF = makePdf('Erika');
const BIRTH = '["paper","birth",{"on":"1980-01-02"}]';

const test = catalogSpec();
let fixture: ReviewFixture;
let core: OrderCoreFixture;
let anna: Caller;
let owner: Caller;

beforeEach(async () => {
  const { database, bus } = test;
  fixture = await ReviewFixture.make(database, bus, (dataKeys) => [
    ...handlersIn(
      approvalHandlers(database, bus, dataKeys),
      new ProofHandlers(database, dataKeys, SIGNER),
      new ReviewSettingsHandlers(database),
    ),
    ...erasureHandlers(database, dataKeys),
    ...parcelHandlers(database),
    ...lotHandlers(database),
  ]);
  ({ core } = fixture);
  [anna, owner] = [core.staff(), core.staff('owner')];
});

const submit = () =>
  fixture.submit(
    { customer_name: 'Erika Mustermann', customer_email: EMAIL, items: [{ ...LINE, quantity: 5 }] },
    { pdf: PDF, external_reference: `erika-${newId()}` },
  );

const read = (requestId: string, caller: Caller = core.key()) =>
  core.call(readRequestProof, { params: { requestId }, caller });

/** When everything is sealed. */
async function proofOf(requestId: string, caller: Caller = core.key()) {
  const sealer = new AuditSealer(test.database, fixture.dataKeys);
  return eventually('the proof', async () => {
    await sealer.sealSettled();
    const { status, body } = await read(requestId, caller);
    return status === 200 ? body : null;
  });
}

async function approve(requestId: string, body: object = {}, caller = anna) {
  const answer = await core.call(requests.approveOrderRequest, { params: { requestId }, body, caller });
  expect([200, 202]).toContain(answer.status);
  return answer.body.order_id;
}

const LOT = { line: 1, lot: 'CH4711', expires_on: '2099-01-31', quantity: 2 };
const PACKED = { ...LOT, p1_id: 'p1', name: 'Blüte', test_number: null };

/** Looked at, marked, corrected against alarms and approved, with a lot and a parcel. */
async function decided() {
  const requestId = await submit();
  const params = { requestId };
  const prescription = { signature_seen: true, issued_on: '2026-01-30', document_kind: 'private' };
  await core.call(review.noteView, { params, caller: anna });
  await core.call(review.setReviewMarks, { params, body: { ...prescription, note: 'Erika' }, caller: anna });
  const orderId = await approve(requestId, {
    items: [{ ...LINE, qty: 2 }],
    customer_name: 'Erika Musterfrau',
    acknowledged: [BIRTH, 'Erika rang'],
    reason: 'Erika Mustermann rang',
  });
  const packed = await core.call(setLots, { params: { orderId }, body: { lots: [LOT] } });
  expect(packed.status).toBe(200);
  const parcel = { carrier: 'dhl', tracking_number: NUMBER };
  expect((await core.call(addParcel, { params: { orderId }, body: parcel })).status).toBe(201);
  return { requestId, orderId };
}

/** More than a proof holds. */
const markOften = changeOf<[orgId: string, object: string]>(
  'spec_many_marks',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
   SELECT $1::uuid, 'staff:' || $1::text, 'order-request.mark', $2::text, 'mark-' || n FROM generate_series(1, 600) n`,
);

const actionsIn = (entries: readonly ProofEntry[]) => entries.map(({ action }) => action);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

it('contains what was handed in, seen, marked, decided and changed, and names no customer', async () => {
  const { requestId, orderId } = await decided();
  const proof = await proofOf(requestId);
  const by = `staff:${anna.actorId}`;
  expect(proof).toMatchObject({
    format: 'offizin-proof-1',
    issued_to: `key:${core.keyId}`,
    org_id: core.orgId,
    shop_id: core.shopId,
    request: { id: requestId, status: 'approved', reason: null, erased_at: null },
    versions: [{ number: 1, asked: false, issued_on: '2026-01-30', document_kind: 'private' }],
    documents: [
      {
        number: 1,
        kind: 'prescription',
        version: 1,
        sha256: sha256(PDF),
        size_bytes: PDF.length,
        replaced: false,
      },
    ],
    marks: [{ version: 1, by, marks: ['signature_seen'] }],
    decision: { by, first: null, acknowledged: ['paper.birth', 'text'] },
    order: {
      id: orderId,
      lines: [{ ...LINE, quantity: 2 }],
      total_amount: 19.9,
      parcels: [{ carrier: 'dhl' }],
      lots: [PACKED],
    },
  });
  expect(proof.decision.changes).toEqual([
    { kind: 'quantity', line: 1, from: 5, to: 2 },
    { kind: 'customer', line: null, from: null, to: null },
  ]);
  expect(actionsIn(proof.audit.entries)).toEqual([
    'order-request.submit',
    'prescription.view',
    'order-request.mark',
    'order-request.approve',
    'order-request.override',
    'order.set-lots',
    'order.add-parcel',
  ]);
  const entry = proof.audit.entries.find(({ position }) => position === proof.decision.position);
  expect(entry).toMatchObject({ action: 'order-request.approve', actor: by, at: proof.decision.at });
  for (const { seal } of proof.audit.entries) expect(seal).toMatch(/^[0-9a-f]{64}$/);
  expect(proof.audit).toMatchObject({ complete: true, seal: proof.audit.entries.at(-1)?.seal });
  expect(JSON.stringify(proof)).not.toMatch(/erika|muster|1980-01-02|00340434/i);
  const entries = (await core.auditOf(`order-request:${requestId}`)).slice(-1);
  expect(entries).toEqual([
    {
      actor: `key:${core.keyId}`,
      action: 'order-request.prove',
      object: expect.stringMatching(new RegExp(`^order-request:${requestId}:proof:[0-9a-f]{64}$`)),
    },
  ]);
});

it('names who approved first, what each acknowledged, and every version and document', async () => {
  const settings = { marks: [], marks_only_for_thc: true, amber_days: 28, red_days: 90, templates: [] };
  const body = { ...settings, four_eyes: 'all', version: 0 };
  expect((await core.call(setReviewSettings, { body, caller: owner })).status).toBe(200);
  const requestId = await submit();
  const identity = makePdf('identity');
  const added = { kind: 'identity', pdf_base64: identity.toString('base64'), name: 'Erika.pdf' };
  await core.call(addDocument, { params: { requestId }, body: added });
  const bodo = core.staff();
  await approve(requestId, { acknowledged: [BIRTH] });
  const { body: detail } = await core.call(review.getReview, { params: { requestId }, caller: bodo });
  const first_approval_at = detail.first_approval?.at;
  await approve(requestId, { first_approval_at, acknowledged: ['["mark","dose_plausible"]'] }, bodo);
  const proof = await proofOf(requestId);
  expect(proof.decision).toMatchObject({
    by: `staff:${bodo.actorId}`,
    first: { by: `staff:${anna.actorId}`, at: first_approval_at, acknowledged: ['paper.birth'] },
    acknowledged: ['mark.dose_plausible'],
    changes: [],
  });
  expect(proof.versions.map(({ number }) => number)).toEqual([1, 2]);
  expect(proof.documents).toMatchObject([
    { number: 1, kind: 'prescription', version: 1, sha256: sha256(PDF) },
    { number: 2, kind: 'identity', version: 2, sha256: sha256(identity) },
  ]);
  expect(JSON.stringify(proof)).not.toMatch(/erika/i);
});

describe('a proof', () => {
  it('of a rejection, a withdrawal and an expiry has no order, and who it was', async () => {
    const [rejected, withdrawn, expired] = [await submit(), await submit(), await submit()];
    await fixture.reject(rejected);
    const withdrawal = { reason: 'sent_by_mistake', message: 'Erika' };
    await core.call(cancelOrderRequest, { params: { requestId: withdrawn }, body: withdrawal });
    await expireRequests(test.database, 0);
    const by = `key:${core.keyId}`;
    expect(await proofOf(rejected)).toMatchObject({
      request: { status: 'rejected', reason: 'other' },
      decision: { by, changes: null, acknowledged: [] },
      order: null,
    });
    expect(await proofOf(withdrawn)).toMatchObject({
      request: { status: 'cancelled', reason: 'sent_by_mistake' },
      decision: { by },
    });
    expect(await proofOf(expired)).toMatchObject({
      request: { status: 'expired', reason: null },
      decision: { by: 'service:order-core' },
    });
  });

  it('has the decision, however much was done before it, and however the id is written', async () => {
    const requestId = await submit();
    await markOften(test.database, core.orgId, `order-request:${requestId}`);
    await fixture.reject(requestId);
    const proof = await proofOf(requestId.toUpperCase());
    expect(proof).toMatchObject({ decision: { by: `key:${core.keyId}` }, audit: { complete: false } });
    expect(actionsIn(proof.audit.entries)).toHaveLength(501);
    expect(actionsIn(proof.audit.entries)).toContain('order-request.reject');
    expect(await runChecker([JSON.stringify(proof)], KEYS)).toEqual([[]]);
  });

  it('of an erased request has what remains, without a person', async () => {
    const { requestId, orderId } = await decided();
    await core.call(eraseCustomer, { body: { email: EMAIL } });
    const proof = await eventually('the erasure', async () => {
      const found = await proofOf(requestId);
      return found.request.erased_at !== null && found;
    });
    expect(proof).toMatchObject({
      request: { status: 'approved', erased_at: expect.any(String) },
      documents: [],
      marks: [],
      decision: { by: `staff:${anna.actorId}`, acknowledged: [], changes: null },
      order: { id: orderId, lines: [{ quantity: 2 }], parcels: [{ carrier: 'dhl' }], lots: [PACKED] },
    });
    expect(actionsIn(proof.audit.entries)).toContain('order-request.approve');
    expect(JSON.stringify(proof)).not.toMatch(/erika|muster|00340434/i);
    expect(await runChecker([JSON.stringify(proof)], KEYS)).toEqual([[]]);
  });

  it('is refused of an open request, of one in question, and until the decision is sealed', async () => {
    const requestId = await submit();
    expect(await read(requestId)).toMatchObject({ status: 409, body: { error: 'conflict' } });
    await fixture.ask(requestId);
    expect(await read(requestId)).toMatchObject({ status: 409, body: { error: 'conflict' } });
    await fixture.reject(requestId);
    expect(await read(requestId)).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('not sealed') },
      headers: { 'retry-after': '1' },
    });
    expect((await proofOf(requestId)).versions).toMatchObject([{ asked: true }]);
  });

  it('is for keys with settings.read and people with audit.read, of the organization', async () => {
    const { requestId } = await decided();
    expect((await proofOf(requestId, owner)).issued_to).toBe(`staff:${owner.actorId}`);
    const scopes = ALL_SCOPES.filter((scope) => scope !== 'settings.read');
    for (const caller of [{ ...core.key(), scopes }, anna, core.staff('clerk')])
      expect(await read(requestId, caller)).toMatchObject({
        status: 403,
        body: { error: 'insufficient_scope' },
      });
    const other = await ReviewFixture.make(test.database, test.bus);
    const foreign = await other.submit();
    await other.reject(foreign);
    for (const id of [foreign, newId(), 'none'])
      expect(await read(id)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it('is signed by a key that the gateway publishes', async () => {
    const caller = { ...core.service(), actorId: 'gateway' };
    expect((await core.call(listProofKeys, { caller })).body).toEqual(KEYS);
  });
});

describe('the checker', () => {
  it('takes a proof as it was issued, however it is indented, and finds every change of every part', async () => {
    const { requestId } = await decided();
    const proof = await proofOf(requestId);
    const text = JSON.stringify(proof);
    expect(await runChecker([text, JSON.stringify(proof, null, 2), `\n${text}\n`], KEYS)).toEqual([
      [],
      [],
      [],
    ]);
    const copies = tamperedTexts(text);
    expect(copies.length).toBeGreaterThan(400);
    const found = await runChecker(copies, KEYS);
    expect(copies.filter((_, at) => found[at]?.length === 0)).toEqual([]);
  });

  it('takes no other key, no second key of the name, and no other algorithm', async () => {
    const { requestId } = await decided();
    const proof = await proofOf(requestId);
    const other = ProofSigner.of(
      JSON.stringify({
        keys: [{ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'spec' }],
      }),
    );
    const text = JSON.stringify(proof);
    for (const keys of [
      [],
      other.publicKeys,
      [...KEYS.keys, ...other.publicKeys],
      [{ kid: 'spec', kty: 'EC' }],
    ])
      expect(await runChecker([text], { keys })).not.toEqual([[]]);
    const { signature: _, ...content } = proof;
    const header = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url');
    const signed = (signature: string) => JSON.stringify({ ...content, signature });
    const forged = [
      signed(`${header({ alg: 'none', kid: 'spec' })}..`),
      signed(other.signatureOf(content)),
      signed(`${header({ alg: 'EdDSA', kid: 'spec', b64: false })}..${proof.signature.split('.')[2]}`),
      signed(''),
    ];
    expect((await runChecker(forged, KEYS)).filter((problems) => problems.length === 0)).toEqual([]);
  });

  it('takes proofs of before and after a rotation, as long as their keys are published', async () => {
    const { requestId } = await decided();
    const { signature: earlier, ...content } = await proofOf(requestId);
    const next = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'next' };
    const rotated = ProofSigner.of(JSON.stringify({ keys: [next, ...SIGNER.publicKeys] }));
    const texts = [earlier, rotated.signatureOf(content)].map((signature) =>
      JSON.stringify({ ...content, signature }),
    );
    const keys = [...rotated.publicKeys];
    expect(await runChecker(texts, { keys })).toEqual([[], []]);
    const unknown = [expect.stringContaining('the keys do not have exactly one spec')];
    expect(await runChecker(texts, { keys: keys.slice(0, 1) })).toEqual([unknown, []]);
  });

  it('is a program without packages, of at most 100 lines, that says what is wrong', async () => {
    const code = readFileSync(CHECKER, 'utf8');
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
    for (const [, source] of code.matchAll(/\bfrom '([^']+)'/g)) expect(source).toMatch(/^node:/);
    const { requestId } = await decided();
    const proof = JSON.stringify(await proofOf(requestId));
    const folder = mkdtempSync(join(tmpdir(), 'offizin-proof-'));
    const file = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const run = async (...args: string[]) => {
      const { status, stdout, stderr } = await runNode([CHECKER, ...args]);
      return [status, `${stdout}${stderr}`];
    };
    const whole = file('proof.json', proof);
    const keys = file('keys.json', JSON.stringify(KEYS));
    const pdf = file('rezept.pdf', PDF);
    const other = file('other.pdf', makePdf('other'));
    const changed = file('changed.json', proof.replace('"quantity":2', '"quantity":3'));
    const genuine = `genuine: ${requestId} was approved by staff:${anna.actorId} at `;
    expect(await run(whole, keys, pdf)).toEqual([0, expect.stringContaining(genuine)]);
    expect(await run(whole, keys, pdf, other)).toEqual([
      1,
      expect.stringContaining('other.pdf is not in the proof'),
    ]);
    expect(await run(changed, keys)).toEqual([1, expect.stringContaining('something was changed')]);
    expect(await run(pdf, keys)).toEqual([1, expect.stringContaining('cannot be checked')]);
    expect(await run(whole)).toEqual([1, expect.stringContaining('Usage')]);
    rmSync(folder, { recursive: true });
  });
});
