import { type Sql, statement } from '@offizin/pg/database';

/** A position in the chain of seals; everything up to it was verified. */
export interface ChainPlace {
  position: string;
  seal: Buffer;
  /** Entries from the beginning up to this position. */
  checked: number;
}

/** The single row of the installation. Its MAC needs the key of the seals, so only key holders can advance the row. */
export type Checkpoint = ChainPlace & { mac: Buffer };

const ROW = 1;

const find = statement<{ position: string; seal: Buffer; checked: string; mac: Buffer }, []>(
  'audit_checkpoint',
  `SELECT position::text AS position, seal, checked::text AS checked, mac FROM core.audit_checkpoints WHERE id = ${ROW}`,
);
const advance = statement<never, [string, Buffer, number, Buffer, string]>(
  'audit_checkpoint_advance',
  `INSERT INTO core.audit_checkpoints AS c (id, position, seal, checked, mac) VALUES (${ROW}, $1, $2, $3, $4)
   ON CONFLICT ON CONSTRAINT audit_checkpoints_pkey
   DO UPDATE SET position = excluded.position, seal = excluded.seal, checked = excluded.checked, mac = excluded.mac
   WHERE c.position = $5::bigint`,
);
const rewind = statement<never, [string, Buffer, number, Buffer]>(
  'audit_checkpoint_rewind',
  `UPDATE core.audit_checkpoints SET position = $1, seal = $2, checked = $3, mac = $4
   WHERE id = ${ROW} AND position > $1::bigint`,
);

export async function findCheckpoint(sql: Sql): Promise<Checkpoint | null> {
  const [row] = await sql.rows(find);
  return row ? { ...row, checked: Number(row.checked) } : null;
}

/** Advances only from `from`: another process may have moved the checkpoint back. */
export async function advanceCheckpoint(sql: Sql, to: Checkpoint, from: ChainPlace): Promise<void> {
  await sql.rows(advance, to.position, to.seal, to.checked, to.mac, from.position);
}

export async function rewindCheckpoint(sql: Sql, to: Checkpoint): Promise<void> {
  await sql.rows(rewind, to.position, to.seal, to.checked, to.mac);
}
