import type { Outcome } from './row';
import { cpuTable, outcomeTable } from './table';

/** docs/performance.md. */
export function performancePage(machine: readonly string[], outcomes: readonly Outcome[]): string {
  return `<!-- Written by \`npm run bench\`, never by hand. -->

# Performance

${machine.map((line) => `- ${line}`).join('\n')}

Each figure is the median of rounds in which the product and what it is held against ran in turn, on the same machine, which
the load generator shares. Several dates mean that the run was made in parts. A row begins when the product, and likewise what
it is held against, no longer becomes faster (at most a minute): V8 compiles what is called often, and services run for days.
Only the ratios can be compared with another machine. The real processes ran with everything on: authentication, validation, history, audit
log, outbox, relay, webhook-worker, access log, \`synchronous_commit = on\` on real files. Rate limits counted each request,
with limits too high to refuse one. "Held against" is the same work without the product: the same rows by one prepared
statement per request through node-postgres with 16 connections, and so on. Seeded orders have no history.

A figure in µs of a core is the cost of one call: CPU time of all processes of the stack together, without the load
generator's, divided by the calls; in brackets the rate and p99 of the last round. Where the load generator does the work
that a cost is held against (a bare statement, bytes decoded and encrypted), its time counts.

Webhook deliveries are counted from the first request to the last result in the database. They are held against a sender
with the same requests in flight that claims 400 rows in one statement and writes the same rows (delivery and attempt) in
bulk, without order, fairness, signatures, retries and log; in brackets what the same undici pool sends without a database.

${outcomeTable(outcomes)}

## Where the time goes

${cpuTable(outcomes)}

## Peers

Measured once on a machine of this kind, with 10 thousand orders, in production mode: the order list takes p50 217 ms
with Medusa 2.21 (120 ms with reduced fields) and 46 ms with Vendure 3.7; an order's detail 25.9 ms and 7.1 ms; a draft
order with 3 lines 128 ms (7/s) and 159 ms (9/s); memory 760 MB and 358 MB. The rows above that name them hold our figures
of this run against those. They compute taxes and prices where Offizin takes the caller's totals, so the figures for
creating an order do not compare the same work.
`;
}
