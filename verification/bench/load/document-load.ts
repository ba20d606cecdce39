import { spawn } from 'node:child_process';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { readColumnBytes } from '@offizin/pg/column-bytes';
import type { LoadResult } from '@offizin/testkit/load/job';
import { Tally } from '@offizin/testkit/load/tally';
import type { DocumentJob } from './raw-jobs';

/**
 * The raw limit of documents. Handing in: find the text in the bytes, decode it, hash it once, encrypt, insert. Reading:
 * select, decrypt, write to another process. No HTTP, no JSON, no validation, no rights, no audit.
 */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY = Buffer.alloc(32, 1);
const READ_LIMIT_MS = 20_000;

const INSERT = {
  name: 'raw_document_insert',
  text: `INSERT INTO bench_raw.documents (id, org_id, order_request_id, state, sha256, size_bytes, ciphertext)
         VALUES ($1::uuid, $1::uuid, $1::uuid, 'stored', $2, $3, $4)`,
};
export async function runDocuments(job: DocumentJob): Promise<LoadResult> {
  const pool = new Pool({ connectionString: job.databaseUrl, max: job.connections });
  await Promise.all(Array.from({ length: job.connections }, async () => pool.query('SELECT 1')));
  const reader = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const bytes = Buffer.from(job.body?.json ?? '');
  const work = job.body ? storing(pool, bytes, job.body.field) : await reading(pool, reader.stdin);
  const tally = new Tally(job);
  const runCaller = async (): Promise<void> => {
    while (!tally.isOver) {
      tally.countSent();
      const startedAtMs = performance.now();
      await work();
      tally.add('ok', startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: job.callers }, runCaller));
  const result = tally.result();
  reader.stdin.end();
  await pool.end();
  return result;
}

function storing(pool: Pool, body: Buffer, field: string): () => Promise<void> {
  const name = Buffer.from(`"${field}":"`);
  return async () => {
    const start = body.indexOf(name) + name.length;
    const plain = Buffer.from(body.toString('latin1', start, body.indexOf('"', start)), 'base64');
    const sha256 = createHash('sha256').update(plain).digest();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, KEY, nonce);
    const parts = [cipher.update(plain), cipher.final()];
    const ciphertext = Buffer.concat([nonce, cipher.getAuthTag(), ...parts]);
    await pool.query({ ...INSERT, values: [uuidv7(), sha256, plain.length, ciphertext] });
  };
}

async function reading(pool: Pool, target: NodeJS.WritableStream): Promise<() => Promise<void>> {
  const { rows: stored } = await pool.query<{ id: string }>('SELECT id FROM bench_raw.documents LIMIT 100');
  const text = 'SELECT ciphertext FROM bench_raw.documents WHERE id = $1';
  let reads = 0;
  return async () => {
    const params = [stored[reads++ % stored.length]?.id ?? ''];
    const pieces: Buffer[] = [];
    const client = await pool.connect();
    try {
      const isFound = await readColumnBytes(client, { text, params, timeoutMs: READ_LIMIT_MS }, (piece) => {
        pieces.push(piece);
        return Promise.resolve();
      });
      if (!isFound) throw new Error('there is no stored document');
    } finally {
      client.release();
    }
    if (!target.write(decrypted(Buffer.concat(pieces)))) await once(target, 'drain');
  };
}

function decrypted(encrypted: Buffer): Buffer {
  const [tagAt, textAt] = [NONCE_BYTES, NONCE_BYTES + TAG_BYTES];
  const decipher = createDecipheriv(ALGORITHM, KEY, encrypted.subarray(0, tagAt));
  decipher.setAuthTag(encrypted.subarray(tagAt, textAt));
  const plain = decipher.update(encrypted.subarray(textAt));
  decipher.final();
  return plain;
}
