import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { connectBus } from '@offizin/bus/connection';
import type { BareChainRole } from './bare-chain';
import { UUID } from './raw-jobs';

/**
 * One half of the bare chain. `edge`: an HTTP server that sends each body as a NATS request and answers with the reply.
 * `responder`: runs one prepared statement per message and replies with its rows as JSON.
 */
const SUBJECT = 'bench.bare-chain';
const REPLY_LIMIT_MS = 10_000;

type Connection = Awaited<ReturnType<typeof connectBus>>;

async function runEdge(nats: Connection): Promise<number> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      nats.request(SUBJECT, Buffer.concat(chunks), { timeout: REPLY_LIMIT_MS }).then(
        ({ data }) => response.writeHead(200, { 'content-type': 'application/json' }).end(data),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function runResponder(
  nats: Connection,
  { databaseUrl, statement }: Extract<BareChainRole, { role: 'responder' }>,
): Promise<number> {
  const pool = new Pool({ connectionString: databaseUrl, max: 16, idleTimeoutMillis: 0 });
  nats.subscribe(SUBJECT, {
    callback: (_, message) => {
      const given = message.json<unknown[]>();
      const values = given.map((value) => (value === UUID ? uuidv7() : value));
      pool.query<Record<string, unknown>>({ ...statement, values }).then(
        ({ rows }) => message.respond(Buffer.from(JSON.stringify(rows))),
        // No reply: the edge answers 500 after its limit, and the row fails.
        (error: unknown) => process.stderr.write(`bare chain: ${String(error)}\n`),
      );
    },
  });
  await nats.flush();
  return 0;
}

process.once('message', (role: BareChainRole) => void answer(role));
process.on('disconnect', () => process.exit());

async function answer(role: BareChainRole): Promise<void> {
  const nats = await connectBus({ name: 'operator', ...role.broker });
  process.send?.({ port: role.role === 'edge' ? await runEdge(nats) : await runResponder(nats, role) });
}
