import type { OrderNote } from '@offizin/contracts/orders/order-notes';
import { type Sql, statement } from '@offizin/pg/database';
import { rowOf } from '@offizin/pg/queries';
import { joinPerson } from '../../audit/audit.store';
import { decrypt, encrypt } from '../../crypto/encryption';
import type { OrderEntity, OrderNoteEntity } from '../../db/entities';

type NoteRow = Pick<OrderNoteEntity, 'id' | 'at' | 'kind' | 'text_ciphertext'> & { who: string };

/** So that the number of notes holds, and an erasure comes before or after a note. */
const lock = rowOf<Pick<OrderEntity, 'id' | 'erased_at'>, [orgId: string, orderId: string]>(
  'order_notes_lock',
  `SELECT id, erased_at FROM core.orders WHERE org_id = $1 AND id = $2 FOR UPDATE`,
);
const count = statement<{ notes: number }, [string]>(
  'order_notes_count',
  `SELECT count(*)::int AS notes FROM core.order_notes WHERE order_id = $1`,
);
const insert = statement<NoteRow, Omit<NewNote, 'text'> & { ciphertext: Buffer | null }>(
  'order_notes_insert',
  `WITH n AS (
     INSERT INTO core.order_notes (id, org_id, order_id, actor, kind, text_ciphertext)
     VALUES ($id, $orgId, $orderId, $actor, $kind, $ciphertext) RETURNING *
   )
   SELECT n.id, n.at, coalesce(person.name, n.actor) AS who, n.kind, n.text_ciphertext FROM n ${joinPerson('n')}`,
);
const ofOrder = statement<NoteRow, [string, string]>(
  'order_notes_of_order',
  `SELECT n.id, n.at, coalesce(person.name, n.actor) AS who, n.kind, n.text_ciphertext
   FROM core.order_notes n ${joinPerson('n')}
   WHERE n.org_id = $1 AND n.order_id = $2 ORDER BY n.id DESC`,
);

/** Locks the order, and counts its notes and marks; null when the organization has none of this id. */
export async function lockNotes(tx: Sql, orgId: string, orderId: string) {
  const order = await lock(tx, orgId, orderId);
  return order && { ...order, notes: (await tx.rows(count, orderId))[0]?.notes ?? 0 };
}

export interface NewNote {
  id: string;
  orgId: string;
  orderId: string;
  /** As in the audit log. */
  actor: string;
  kind: OrderNote['kind'];
  text: string | null;
}

export async function insertNote(tx: Sql, key: Buffer, note: NewNote): Promise<OrderNote> {
  const { id, text } = note;
  const ciphertext = text === null ? null : encrypt(key, Buffer.from(text), id);
  const [row] = await tx.rows(insert, { ...note, ciphertext });
  if (!row) throw new Error('the note was not inserted');
  return shown(row, key);
}

/** Newest first. */
export async function notesOf(
  sql: Sql,
  key: Buffer,
  { orgId, orderId }: { orgId: string; orderId: string },
): Promise<OrderNote[]> {
  return (await sql.rows(ofOrder, orgId, orderId)).map((row) => shown(row, key));
}

function shown({ id, at, who, kind, text_ciphertext: text }: NoteRow, key: Buffer): OrderNote {
  return { id, at: at.toISOString(), who, kind, text: text && decrypt(key, text, id).toString() };
}
