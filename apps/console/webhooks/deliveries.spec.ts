import { execFileSync } from 'node:child_process';
import { curlOf } from './curl';
import { filtersOf, readAnyDeliverySearch, readDeliverySearch } from './delivery-search';

describe('the address of the deliveries', () => {
  const NOW_MS = Date.parse('2026-11-24T12:03:00Z');

  it('drops what the address of an endpoint does not know', () => {
    expect(readDeliverySearch({ status: 'lost', kind: 'x', period: 'year', order: 'o', a: '1' })).toEqual({
      order: 'o',
    });
  });

  it('filters by the names of the contract', () => {
    const search = { status: 'failed', kind: 'order_created', order: 'o' } as const;
    expect(filtersOf('w', search, NOW_MS)).toEqual({
      webhook_id: 'w',
      status: 'failed',
      event_type: 'order_created',
      order_id: 'o',
    });
  });

  it('reads the endpoint and the open delivery where deliveries of every endpoint are listed', () => {
    const search = { endpoint: 'w', id: 'd', status: 'failed', a: '1' };
    expect(readAnyDeliverySearch(search)).toEqual({ endpoint: 'w', id: 'd', status: 'failed' });
    expect(filtersOf(undefined, { status: 'failed' }, NOW_MS)).toEqual({ status: 'failed' });
  });

  it('begins a period at a full five minutes, so that a later look asks for the same list', () => {
    const from = (nowMs: number) => filtersOf('w', { period: 'hour' }, nowMs);
    expect(from(NOW_MS)).toEqual({ webhook_id: 'w', from: '2026-11-24T11:00:00.000Z' });
    expect(from(NOW_MS + 60_000)).toEqual(from(NOW_MS));
  });
});

describe('a delivery as a command', () => {
  it('gives a shell exactly what was sent, quotes and dollars included', () => {
    const body = `{"title":"Anna's $HOME","text":"a\\\\b \`id\`"}`;
    const command = curlOf({
      url: 'https://shop.example/?a=1&b=2',
      headers: { 'X-Service-Event': 'x' },
      body,
    });
    const shown = command.replace('curl', `printf '%s\\n'`);
    expect(execFileSync('sh', ['-c', shown], { encoding: 'utf8' })).toBe(
      `-X\nPOST\nhttps://shop.example/?a=1&b=2\n-H\nX-Service-Event: x\n--data-raw\n${body}\n`,
    );
  });
});
