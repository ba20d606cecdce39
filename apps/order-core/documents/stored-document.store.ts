import type { TakePiece } from '@offizin/pg/column-bytes';
import { type Database, type Sql, statement } from '@offizin/pg/database';

/** Where the bytes of a stored document are: under the name of an object, or in the database (null). */
export interface PlaceOfBytes {
  id: string;
  object_name: string | null;
  /** Of the plain document. */
  size_bytes: number;
}

const findCiphertext = statement<never, [string, string]>(
  'document_ciphertext',
  `SELECT ciphertext FROM core.documents WHERE org_id = $1 AND id = $2`,
);
const findAgain = statement<PlaceOfBytes, [string, string]>(
  'document_place_of_bytes',
  `SELECT id, object_name, size_bytes FROM core.documents WHERE org_id = $1 AND id = $2 AND size_bytes IS NOT NULL`,
);

/** Passes the encrypted bytes to `take`; false when the database does not have them. */
export async function streamCiphertext(
  database: Database,
  { orgId, id }: { orgId: string; id: string },
  take: TakePiece,
): Promise<boolean> {
  return database.bytes(findCiphertext, [orgId, id], take);
}

/** Null when the document was erased. */
export async function placeOfBytes(sql: Sql, orgId: string, id: string): Promise<PlaceOfBytes | null> {
  return (await sql.rows(findAgain, orgId, id))[0] ?? null;
}
