import { Client } from 'pg';

/** One connection for the time of `work`. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs statements on one connection; resolves with the rows of the last one. */
export async function queryAt<Row extends object>(url: string, ...texts: string[]): Promise<Row[]> {
  return withClient(url, async (client) => {
    let rows: Row[] = [];
    for (const text of texts) ({ rows } = await client.query<Row>(text));
    return rows;
  });
}
