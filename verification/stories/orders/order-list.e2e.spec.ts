import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { Role } from '@offizin/contracts/people/roles';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import type { TestPerson } from '@offizin/testkit/person';
import { usePlatform } from '@offizin/testkit/platform';

const platform = usePlatform();

/** Lists as CSV: the same address, by Accept. */
describe('lists as CSV', () => {
  const CSV = { accept: 'text/csv' };
  const GERMAN = { accept: 'text/csv; header=present; dialect=excel-de' };

  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
    const items = [
      { p1_id: 'P1', name: 'Öl, 10 ml', qty: 2, price: 4.5 },
      { name: '=1+1', qty: 1, price: 1 },
    ];
    const [, second] = organization.shops;
    await organization.createOrder({ external_id: 'a', customer_name: 'Jörg Müller', items });
    await organization.createOrder({ external_id: 'b', shop_id: second.shopId });
    await (await platform.organization()).createOrder({ external_id: 'foreign', items });
  });

  function person(role: Role): Promise<TestPerson> {
    return platform.person(organization.orgId, role);
  }

  function asFile(by: TestPerson, path: string, accept: typeof CSV): Promise<HttpAnswer> {
    const headers = { ...by.pageHeaders, ...accept };
    return by.call('GET', `/api/v2/public/orgs/${organization.orgId}${path}`, undefined, headers);
  }

  /** The objects of the audit entries of an action, newest first. */
  async function exportsIn(action: string): Promise<string[]> {
    const log = await organization.api('GET', `/audit-log?action=${action}`);
    return json<{ data: { object: string }[] }>(log).data.map(({ object }) => object);
  }

  it('refuses pages, an order in which rows could be missed, and what the list refuses', async () => {
    const refusals: [query: string, accept: string, status: number, said: string][] = [
      ['?limit=10', 'text/csv', 400, 'a CSV file has no pages'],
      ['?offset=10', 'text/csv', 400, 'a CSV file has no pages'],
      ['?cursor=abc', 'text/csv', 400, 'a CSV file has no pages'],
      ['?sort=-updated_at', 'text/csv', 400, 'sort'],
      ['?status=lost', 'text/csv', 400, 'status'],
      ['?q=%00', 'text/csv', 400, 'q'],
      [`?shop_id=${organization.orgId}`, 'text/csv', 404, 'shop'],
      ['', 'text/csv; dialect=tsv', 406, 'excel-de'],
      ['', 'application/xml', 406, 'text/csv'],
    ];
    for (const [query, accept, status, said] of refusals) {
      const answer = await organization.api('GET', `/orders${query}`, undefined, { accept });
      expect({ query, status: answer.status }).toEqual({ query, status });
      const { message, details } = json<ErrorBody>(answer);
      expect(`${message} ${JSON.stringify(details)}`).toContain(said);
    }
  });

  it('the audit log is a file, too, which names itself in the log', async () => {
    const csv = async (query: string) =>
      (await organization.api('GET', `/audit-log${query}`, undefined, CSV)).body
        .toString()
        .trimEnd()
        .split('\r\n');
    const [head, ...rows] = await csv('?action=order.create');
    expect(head).toBe('"position","at","actor","action","object","request_id"');
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^\d+,"[\dT:.-]+Z","key:[\da-f-]+","order\.create","order:[\da-f-]+",/);
    const [, entry] = await csv('?action=audit.export');
    expect(entry).toContain('"audit-export:2 action=order.create"');
    const paged = await organization.api('GET', '/audit-log?limit=2', undefined, CSV);
    expect([paged.status, json<ErrorBody>(paged).error]).toEqual([400, 'invalid_request']);
  });

  it('the requests of the console are a file, too, for who may read them', async () => {
    const [pharmacist, clerk] = [await person('pharmacist'), await person('clerk')];
    const items = [{ name: 'Öl', quantity: 2, price: 4.5 }];
    const id = await organization.submit(orderRequest({ customer_name: '=Müller', items }));
    await organization.submit(orderRequest({ customer_name: 'Anna' }));
    const answer = await asFile(pharmacist, '/review/requests?q=m%C3%BCl', GERMAN);
    const [head, row, ...further] = answer.body.toString().trimEnd().split('\r\n');
    expect(head).toMatch(/^\uFEFF"Anfrage-ID";"Status";"Shop-ID";"Shop";/);
    expect(row).toMatch(new RegExp(`^"${id}";"Offen";.*;"'=Müller";"2 × Öl";1;9,00;`));
    expect(further).toEqual([]);
    const all = await asFile(pharmacist, '/review/requests', CSV);
    expect(all.body.toString().trimEnd().split('\r\n')).toHaveLength(3);
    expect((await asFile(pharmacist, '/review/requests?limit=2', CSV)).status).toBe(400);
    expect((await asFile(pharmacist, `/review/requests?shop_id=${id}`, CSV)).status).toBe(404);
    expect((await asFile(clerk, '/review/requests', CSV)).status).toBe(403);
    expect(await exportsIn('order-request.export')).toEqual([
      'request-export:2 tab=open',
      'request-export:1 tab=open q',
    ]);
  });

  it('the stock of the console is a file, too, page after page of the catalog', async () => {
    const clerk = await person('clerk');
    const ids = await platform.catalogProducts(201);
    for (const id of ids) await organization.stock(id, 3);
    const [first = ''] = ids;
    expect((await organization.api('PUT', `/products/${first}`, { name: '=Öl', price: 1.5 })).status).toBe(
      200,
    );
    const all = (await asFile(clerk, '/stock', CSV)).body.toString().trimEnd().split('\r\n');
    expect(all[0]).toMatch(/^"p1_id","name","category","price","stock_quantity",/);
    expect(new Set(all).size).toBe(202);
    const found = await asFile(clerk, `/stock?q=${first}&low_stock=false`, GERMAN);
    expect(found.body.toString()).toMatch(new RegExp(`\n"${first}";"'=Öl";.*;1,50;3;0;3;`));
    expect((await asFile(clerk, '/stock?cursor=x', CSV)).status).toBe(400);
    expect(await exportsIn('inventory.export')).toEqual([
      'stock-export:1 low_stock=false q',
      'stock-export:201 all',
    ]);
  });
});
