import { UNIQUE } from '../load/job';
import { Naive } from '../naive/naive';
import type { Row } from '../row';
import { emptyRawTables } from '../seed/raw-tables';
import { ITEMS, upsertRequests } from './order-bodies';

/** The same upsert as NestJS is shown in its own documentation (naive-process.ts). */
export const naiveRow: Row = {
  name: 'order upsert new, 64 callers: times as many as a naive NestJS',
  unit: '/s',
  bar: { of: 'ratio', atLeast: 5 },
  against: 'gateway and service with ClientProxy, ValidationPipe and TypeORM save',
  run: async (bench) => {
    const tenant = await bench.tenants.get('writes');
    await emptyRawTables(bench.sql);
    const body = JSON.stringify({
      org_id: tenant.orgId,
      shop_id: tenant.shops[0]?.shopId,
      external_id: `naive-${UNIQUE}`,
      order_number: `A-${UNIQUE}`,
      items: ITEMS,
      customer_name: 'Erika Mustermann',
      customer_email: 'erika@example.org',
      address_street: 'Hauptstraße 1',
      address_city: 'Köln',
      address_postal_code: '50667',
    });
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path: '/orders', headers, body };
    const naive = await Naive.start(bench.stack);
    try {
      return await bench.alternate(
        'perSecond',
        bench.gateway(upsertRequests(bench, tenant, [`new-${UNIQUE}`]), 64),
        async (extent) =>
          bench.load.http({ ports: [naive.port], callers: 64, requests: [request], ...extent }),
      );
    } finally {
      naive.stop();
    }
  },
};
