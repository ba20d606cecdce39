import { randomBytes } from 'node:crypto';
import { Refused } from '@offizin/contracts/calls/errors';
import { newId } from '@offizin/pg/ids';
import { forcedCollections } from '@offizin/testkit/forced-collections';
import { ReadAudit } from '../../audit/read-audit';
import { NO_CREDENTIAL } from '../../callers/live-caller.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { encrypt } from '../../crypto/encryption';
import { DocumentReads } from '../../documents/documents/document-reads';
import { insertPdf, OF_PAYLOAD } from '../../documents/documents/documents.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { insertOrderRequests } from '../intake/order-requests.store';
import { prescriptionPdf } from './prescription-pdf';
import { coreSpec } from '../../spec/core-spec';
import { specKeys } from '../../spec/request-handlers';

const MIB = 1024 * 1024;

let core: OrderCoreFixture;
let dataKeys: DataKeys;
let documents: DocumentReads;
let audit: ReadAudit;
const test = coreSpec((made) => (core = made), { isShared: true });

beforeAll(() => {
  dataKeys = specKeys(test.database);
  documents = new DocumentReads(test.database, dataKeys, null);
  audit = new ReadAudit(test.database);
});

/** Resolves with the id of its request. */
async function stored(plain: Buffer): Promise<string> {
  const { orgId, shopId } = core;
  const [id, requestId, empty] = [newId(), newId(), Buffer.alloc(32)];
  const request = { id: requestId, shopId, source: 's', externalReference: id, customerName: null };
  const content = { totalAmount: 0, payloadCiphertext: empty, payloadDigest: empty, customerDigest: null };
  const shown = {
    lineWords: '',
    linesCiphertext: empty,
    lineCount: 0,
    shippingOption: null,
    ePrescriptionCiphertext: null,
    ePrescriptionDigest: null,
    metadata: '{}',
  };
  const row = { ...request, ...content, ...shown, ...NO_CREDENTIAL, orgId };
  await insertOrderRequests(test.database, [row]);
  const ciphertext = encrypt(await dataKeys.keyOf(orgId), plain, id);
  const pdf = { sha256: empty, sizeBytes: plain.length, ciphertext, signature: 'none', pages: null } as const;
  await insertPdf(test.database, orgId, { id, orderRequestId: requestId, version: 1, ...OF_PAYLOAD, ...pdf });
  return requestId;
}

async function read(requestId: string, caller = core.key()): Promise<Buffer> {
  const of = { requestId, action: 'prescription.read' };
  const { content } = await prescriptionPdf({ database: test.database, documents, audit }, caller, of);
  if (content?.kind !== 'bytes') throw new Error('the answer is not a document');
  return content.bytes;
}

it('reads a large prescription byte by byte, and none of another organization', async () => {
  const plain = randomBytes(3 * MIB);
  const requestId = await stored(plain);
  expect((await read(requestId)).equals(plain)).toBe(true);
  const other = await OrderCoreFixture.make(test.database);
  await expect(read(requestId, other.key())).rejects.toBeInstanceOf(Refused);
});

it('collects the pieces of read prescriptions while they are young', async () => {
  const requestId = await stored(randomBytes(MIB));
  const collections = await forcedCollections(async () => {
    for (let reads = 0; reads < 20; reads++) await read(requestId);
  });
  expect(collections).toBeGreaterThanOrEqual(4);
});
