import { escapeLiteral, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/**
 * By COPY in binary: the driver decodes query results from hexadecimal text, which blocks the event loop. COPY takes no
 * parameters, so they are quoted.
 */

/** Reading pauses until the promise resolves. */
export type TakePiece = (piece: Buffer, totalBytes: number) => Promise<void>;

/**
 * Signature, flags, extension length, column count, length of the column (-1 for null). Source: PostgreSQL, COPY,
 * binary format.
 */
const HEADER_BYTES = 25;

/** For the column of a single row. False if there is no row or its value is null. */
export async function readColumnBytes(
  client: PoolClient,
  select: { text: string; params: readonly string[]; timeoutMs: number },
  take: TakePiece,
): Promise<boolean> {
  const { params, timeoutMs } = select;
  const text = select.text.replace(/\$(\d+)/g, (_, n: string) => escapeLiteral(params[Number(n) - 1] ?? ''));
  const stream = client.query(copyTo(`COPY (${text}) TO STDOUT (FORMAT binary)`));
  const timer = setTimeout(() => stream.destroy(new Error('query read timeout')), timeoutMs);
  let header = Buffer.alloc(0);
  let totalBytes = -1;
  let leftBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let piece = chunk;
      if (header.length < HEADER_BYTES) {
        header = Buffer.concat([header, chunk]);
        if (header.length < HEADER_BYTES) continue;
        totalBytes = leftBytes = header.readInt32BE(HEADER_BYTES - 4);
        piece = header.subarray(HEADER_BYTES);
      }
      piece = piece.subarray(0, Math.max(0, leftBytes));
      leftBytes -= piece.length;
      if (piece.length > 0) await take(piece, totalBytes);
    }
  } finally {
    clearTimeout(timer);
  }
  return totalBytes >= 0;
}
