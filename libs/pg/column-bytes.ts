import { escapeLiteral, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/**
 * Reads a large column of bytes, as bytes and piece by piece. The driver reads each other result as text, and so bytes as
 * hexadecimal digits: 10 MB cost 150 ms of the event loop that way. COPY takes no parameters, so they go into the text,
 * quoted.
 */

/** Takes the next piece of `totalBytes`. While its promise is open, nothing more is read. */
export type TakePiece = (piece: Buffer, totalBytes: number) => Promise<void>;

/**
 * Of the format "binary": its signature, flags and an extension (19 bytes), the number of columns (2) and the length of
 * the only one (4); -1 stands for null. Without a row it ends before the length. Source: PostgreSQL, COPY.
 */
const HEADER_BYTES = 25;

/** Hands the column of the only row that `select` finds to `take`; false where there is no row, or null in it. */
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
      // Behind the column the end of the file follows.
      piece = piece.subarray(0, Math.max(0, leftBytes));
      leftBytes -= piece.length;
      if (piece.length > 0) await take(piece, totalBytes);
    }
  } finally {
    clearTimeout(timer);
  }
  return totalBytes >= 0;
}
