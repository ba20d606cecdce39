import type { ClientBase, Pool, PoolClient } from 'pg';

/** More than two find a pooler that gives out several free connections in turn. */
const CONNECTIONS = 3;

export const TRANSACTION_POOLING = {
  found: 'a pooler before PostgreSQL gives each transaction another connection',
  advice:
    'Let it keep one for each session (PgBouncer: pool_mode = session), or connect to PostgreSQL itself. Locks, ' +
    'time-outs, LISTEN and prepared statements would be lost otherwise.',
};

/**
 * Whether a pooler gives each transaction another connection of the server. The clients are connected and idle; one
 * alone cannot tell. While the others have a transaction open, the first one is then given another connection.
 */
export async function isTransactionPooled([first, ...others]: readonly ClientBase[]): Promise<boolean> {
  if (!first) return false;
  const before = await backendOf(first);
  try {
    for (const other of others) {
      await other.query('BEGIN');
      await backendOf(other);
    }
    return (await backendOf(first)) !== before;
  } finally {
    for (const other of others) await other.query('ROLLBACK');
  }
}

/** Throws when the connections of the pool lead through such a pooler. */
export async function refuseTransactionPooling(pool: Pool): Promise<void> {
  const clients: PoolClient[] = [];
  try {
    while (clients.length < Math.min(CONNECTIONS, pool.options.max)) clients.push(await pool.connect());
    if (!(await isTransactionPooled(clients))) return;
  } finally {
    for (const client of clients) client.release();
  }
  throw new Error(`${TRANSACTION_POOLING.found}. ${TRANSACTION_POOLING.advice}`);
}

async function backendOf(client: ClientBase): Promise<number | undefined> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
}
