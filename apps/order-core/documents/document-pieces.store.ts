import { type Sql, statement } from '@offizin/pg/database';

/**
 * The driver reads a column of bytes as text of twice its size, in one go. Of 10 MB that would hold up the event loop for
 * tens of milliseconds, so a large ciphertext comes in pieces, and other callers are served in between.
 */
const PIECE_BYTES = 512 * 1024;

const readPiece = statement<{ piece: Buffer | null }, [string, string, number, number]>(
  'document_piece',
  `SELECT substring(ciphertext FROM $3 FOR $4) AS piece FROM core.documents WHERE org_id = $1 AND id = $2`,
);

/** The stored ciphertext of a document; null when it is gone meanwhile. */
export async function readCiphertext(
  sql: Sql,
  orgId: string,
  document: { id: string; bytes: number },
): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  for (let from = 1; from <= document.bytes; from += PIECE_BYTES) {
    const [row] = await sql.rows(readPiece, orgId, document.id, from, PIECE_BYTES);
    if (!row?.piece) return null;
    pieces.push(row.piece);
  }
  return Buffer.concat(pieces);
}
