import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Client } from 'pg';
import { OrderExportQuery } from '@offizin/contracts/exports';
import { PipelineQuery } from '@offizin/contracts/orders/pipeline';
import { AuditLogQuery } from '@offizin/contracts/reports/audit';
import { PrescriptionListQuery } from '@offizin/contracts/requests/prescriptions';
import { ReviewListQuery } from '@offizin/contracts/requests/review';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { withClient } from '@offizin/local-stack/database-client';
import { appendEvent, appendEvents } from '@offizin/events/outbox';
import { outboxBacklog, outboxNotice } from '@offizin/events/outbox-metrics';
import { countSetAside, setMessagesAside } from '@offizin/events/set-aside';
import { IdempotencyKeyStore } from '@offizin/idempotency/idempotency-keys';
import { madeStatements } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { specDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../../apps/catalog/db/schema';
import { listAudit } from '../../apps/order-core/audit/audit-list.store';
import { orderCoreSchema } from '../../apps/order-core/db/schema';
import { readExportPage } from '../../apps/order-core/orders/orders/order-export.store';
import { countByStatus, listPipelineRows } from '../../apps/order-core/orders/pipeline/pipeline.store';
import { listPrescriptions } from '../../apps/order-core/requests/prescriptions/prescriptions.store';
import { ExpiryRule } from '../../apps/order-core/requests/review/decision';
import { countReviews, listReviewRows } from '../../apps/order-core/requests/review/review-list.store';
import { webhookWorkerSchema } from '../../apps/webhook-worker/db/schema';
import { type Described, described } from './described-statement';
import { type Kind, type KindName, type Site, statementSites } from './statement-sites';

/**
 * The types that the code declares for parameters and rows of each statement are those that PostgreSQL says. A column that is
 * returned as stored has the type of its entity, or of a field of the contract.
 */

const core = specDatabase(orderCoreSchema);
const databases = {
  core,
  catalog: specDatabase(catalogSchema),
  webhooks: specDatabase(webhookWorkerSchema),
};

const sites = statementSites();
const load = createRequire(__filename);
for (const path of new Set(sites.map((site) => site.path))) load(join(checkoutRoot, path));

/** Statements of what services share are made for the schema of each when they are first used. */
beforeAll(async () => {
  const sql = core.database;
  const event = {
    orgId: newId(),
    eventType: 'order_created',
    aggregateId: newId(),
    sequence: 1,
    topic: 'plain',
    title: 'Order created',
    description: 'An order was created.',
    metadata: {},
  } as const;
  const reads = new ReadCoalescer(sql);
  const question = { name: 'question', text: 'SELECT $1::text AS value', paramNames: null };
  await Promise.all([
    new IdempotencyKeyStore('core').free(sql, { orgId: newId(), key: 'free', leaseToken: newId() }),
    appendEvent(sql, 'core', event),
    appendEvents(sql, 'core', [{ ...event, sequence: 2 }]),
    setMessagesAside(sql, 'core', []),
    countSetAside(sql, 'core'),
    outboxBacklog(sql, 'core'),
    outboxNotice(sql, 'core'),
    ...['one', 'other'].map((value) => reads.rows(question, value)),
  ]);
});

/** Statements of lists are made for the filters of a call. */
beforeAll(async () => {
  const sql = core.database;
  const orgId = newId();
  const reviews = { orgId, key: Buffer.alloc(32), expiry: new ExpiryRule(7), fourEyes: false };
  await Promise.all([
    listPipelineRows(sql, orgId, new PipelineQuery()),
    countByStatus(sql, orgId, {}),
    countByStatus(sql, orgId, { q: 'Ada' }),
    readExportPage(sql, orgId, new OrderExportQuery(), { cursor: null }),
    listPrescriptions(sql, orgId, { ...new PrescriptionListQuery(), test: undefined }, undefined),
    listReviewRows(sql, reviews, new ReviewListQuery()),
    countReviews(sql, reviews, {}),
    listAudit(sql, orgId, new AuditLogQuery()),
  ]);
});

it('each statement has the parameters and columns that the code declares', async () => {
  const wrong: string[] = [];
  for (const [schema, { url }] of Object.entries(databases))
    await withClient(url, async (client) => {
      const catalog = await typesOf(client);
      for (const [text, { name, paramNames }] of madeStatements) {
        if (schemaOf(text) !== schema) continue;
        const found = await described(client, text).catch((error: unknown) => String(error));
        const own = placesOf(name);
        if (typeof found === 'string') wrong.push(`${name}: ${found}`);
        else if (own.length === 0) wrong.push(`${name}: no place declares it ${text}`);
        else wrong.push(...findings({ name, text, paramNames }, own, found, catalog));
      }
    });
  expect(wrong).toEqual([]);
});

/** Where the whole name stands, before those that build it; of these, the ones that declare something. */
function placesOf(name: string): Site[] {
  const whole = sites.filter((site) => site.name === name);
  if (whole.length > 0) return whole;
  const building = sites.filter(({ names }) => names.test(name));
  const declaring = building.filter(({ params, row }) => params ?? row);
  return declaring.length > 0 ? declaring : building;
}

/** A statement that is built for the filters of a call has parameters of no declared types. */
it('each place that declares parameters or a row has made a statement', () => {
  const made = Array.from(madeStatements.values(), ({ name }) => name);
  const unmade = sites.filter(
    ({ params, row, names }) => (params ?? row) && !made.some((name) => names.test(name)),
  );
  expect(unmade.map(({ at }) => at)).toEqual([]);
});

function schemaOf(text: string): string {
  return /\b(core|catalog|webhooks)\./.exec(text)?.[1] ?? 'core';
}

interface Catalog {
  /** Names of types by their numbers; those of arrays begin with an underscore. */
  names: ReadonlyMap<number, string>;
  /** Names of columns that may be null, by the numbers of table and column. */
  nullable: ReadonlyMap<string, string>;
}

/** Lower numbers are those of PostgreSQL's own tables. */
const FIRST_OWN_OID = 16_384;

async function typesOf(client: Client): Promise<Catalog> {
  const names = await client.query<{ oid: number; typname: string }>('SELECT oid, typname FROM pg_type');
  const nullable = await client.query<{ key: string; attname: string }>(
    `SELECT attrelid || '.' || attnum AS key, attname FROM pg_attribute
     WHERE NOT attnotnull AND attrelid >= ${FIRST_OWN_OID}`,
  );
  return {
    names: new Map(names.rows.map(({ oid, typname }) => [oid, typname])),
    nullable: new Map(nullable.rows.map(({ key, attname }) => [key, attname])),
  };
}

interface Made {
  name: string;
  text: string;
  paramNames: readonly string[] | null;
}

/** Several places may make statements of one name; one of them fits. */
function findings(statement: Made, own: readonly Site[], found: Described, catalog: Catalog): string[] {
  const each = own.map((site) =>
    [
      ...paramFindings(site, statement.paramNames, found, catalog),
      ...rowFindings(site, statement.text, found, catalog),
    ].map((what) => `${site.at} ${statement.name}: ${what}`),
  );
  return each.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

const MAX_POSITIONAL = 4;

function paramFindings(
  { params }: Site,
  paramNames: Made['paramNames'],
  { params: asked }: Described,
  { names }: Catalog,
): string[] {
  if (!params) return [];
  if (paramNames === null && params.size > MAX_POSITIONAL) return [`${params.size} parameters have no names`];
  const named = paramNames ?? asked.map((_, at) => String(at + 1));
  const unnamed = [...params.keys()].filter((name) => !named.includes(name));
  const wrong = named.flatMap((name, at) => {
    const kind = params.get(name);
    const type = names.get(asked[at] ?? 0) ?? '';
    if (!kind) return [`$${name} is not declared`];
    return isAccepted(kind, type) ? [] : [`$${name} is ${type}, declared as ${shown(kind)}`];
  });
  return [...wrong, ...unnamed.map((name) => `the text has no $${name}`)];
}

function rowFindings({ row }: Site, text: string, { fields }: Described, catalog: Catalog): string[] {
  if (row === null) return [];
  const columns = row instanceof Map ? row : new Map([[fields[0]?.name ?? '', row]]);
  const missing = [...columns].filter(
    ([name, { isOptional }]) => !isOptional && !fields.some((field) => field.name === name),
  );
  const wrong = fields.flatMap(({ name, dataTypeID, tableID, columnID }) => {
    const kind = columns.get(name);
    const type = catalog.names.get(dataTypeID) ?? '';
    if (!kind) return [`column ${name} is not declared`];
    if (!isReturned(kind, type)) return [`${name} is ${type}, declared as ${shown(kind)}`];
    // The inside of JSON is out.
    if (kind.isByHand && tableID >= FIRST_OWN_OID && !/json/.test(type))
      return [`${name} is a column, declared by hand: take its type from the entity`];
    const column = catalog.nullable.get(`${tableID}.${columnID}`);
    if (kind.isNullable || column === undefined) return [];
    // A condition on the column, or a value that the statement gives it.
    const isKnown = new RegExp(String.raw`\b${column}(?: IS NOT NULL| = )`).test(text);
    return isKnown ? [] : [`${name} may be null`];
  });
  return [...wrong, ...missing.map(([name]) => `there is no column ${name}`)];
}

function shown({ kinds, isArray }: Kind): string {
  return `${kinds.join(' or ')}${isArray ? '[]' : ''}`;
}

/** How node-postgres reads and writes the types of PostgreSQL that the product uses; json is any value. */
const TYPES: readonly { types: readonly string[]; returned: KindName; accepted: readonly KindName[] }[] = [
  {
    types: ['text', 'varchar', 'bpchar', 'uuid', 'name', 'inet', 'tsquery'],
    returned: 'string',
    accepted: ['string'],
  },
  { types: ['int2', 'int4', 'float4', 'float8'], returned: 'number', accepted: ['number'] },
  { types: ['int8', 'numeric'], returned: 'string', accepted: ['string', 'number'] },
  { types: ['bool'], returned: 'boolean', accepted: ['boolean'] },
  { types: ['timestamptz', 'date'], returned: 'Date', accepted: ['string', 'Date'] },
  { types: ['interval'], returned: 'object', accepted: ['string'] },
  { types: ['bytea'], returned: 'bytes', accepted: ['bytes'] },
];

function isReturned(kind: Kind, type: string): boolean {
  return type === 'void' || fits(kind, type, ({ returned }) => [returned]);
}

function isAccepted(kind: Kind, type: string): boolean {
  return fits(kind, type, ({ accepted }) => accepted);
}

function fits(
  { kinds, isArray }: Kind,
  type: string,
  wanted: (row: (typeof TYPES)[number]) => readonly KindName[],
): boolean {
  // Null is of each type.
  if (kinds.length === 0) return true;
  const element = type.replace(/^_/, '');
  if (['json', 'jsonb'].includes(element)) return isArray || type === element;
  const known = TYPES.find(({ types }) => types.includes(element));
  return (
    known !== undefined &&
    isArray === type.startsWith('_') &&
    kinds.every((one) => wanted(known).includes(one))
  );
}
