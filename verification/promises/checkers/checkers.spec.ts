import { outcomeOf } from '@offizin/testkit/load/history';
import { Random } from '../../../tools/demo/random';
import {
  checkChain,
  checkDeliveries,
  checkOrder,
  checkSet,
  compareLatencies,
  type StatusChange,
} from './checkers';

const ok = (key: string, id: string) => ({ key, outcome: 'ok' as const, id });
const unknown = (key: string) => ({ key, outcome: 'unknown' as const, id: null });

describe('the set checker', () => {
  it('passes acknowledged rows that are stored once, and unknown outcomes either way', () => {
    const operations = [ok('a', '1'), ok('a', '1'), unknown('b'), unknown('c')];
    const stored = [
      { key: 'a', id: '1' },
      { key: 'b', id: '2' },
    ];
    expect(checkSet(operations, stored)).toEqual({ acknowledged: 1, lost: [], doubled: [], mistaken: [] });
  });

  it('finds a row that was acknowledged before it was stored and lost in a crash', () => {
    expect(checkSet([ok('a', '1')], []).lost).toEqual(['a']);
  });

  it('finds a row stored twice by two callers that both read nothing first', () => {
    const stored = [
      { key: 'a', id: '1' },
      { key: 'a', id: '2' },
    ];
    expect(checkSet([ok('a', '1'), ok('a', '2')], stored).doubled).toEqual(['a']);
  });

  it('finds an answer that names another row than the stored one', () => {
    expect(checkSet([ok('a', '1'), ok('a', '2')], [{ key: 'a', id: '1' }]).mistaken).toEqual(['a']);
  });
});

describe('the delivery checker', () => {
  const arrival = (endpoint: string, eventId: string, deliveryId: string) => ({
    endpoint,
    eventId,
    deliveryId,
  });

  it('accepts a repeat under the same delivery id', () => {
    const arrivals = [arrival('x', 'e1', 'd1'), arrival('x', 'e1', 'd1'), arrival('y', 'e1', 'd2')];
    expect(checkDeliveries(['e1'], ['x', 'y'], arrivals)).toEqual({
      undelivered: [],
      doubled: [],
      repeats: 1,
    });
  });

  it('finds an event that reached one endpoint and not the other', () => {
    expect(checkDeliveries(['e1'], ['x', 'y'], [arrival('x', 'e1', 'd1')]).undelivered).toEqual(['y e1']);
  });

  it('finds one event under two delivery ids', () => {
    const arrivals = [arrival('x', 'e1', 'd1'), arrival('x', 'e1', 'd2')];
    expect(checkDeliveries(['e1'], ['x'], arrivals).doubled).toEqual(['x e1']);
  });
});

describe('the order checker', () => {
  const arrival = (aggregateId: string, sequence: number, endpoint = 'x') => ({
    endpoint,
    aggregateId,
    sequence,
    deliveryId: `${endpoint}-${aggregateId}-${sequence}`,
  });

  it('passes interleaved aggregates, gaps, and repeats of earlier events', () => {
    const arrivals = [arrival('a', 1), arrival('b', 1), arrival('a', 2), arrival('a', 1), arrival('b', 5)];
    expect(checkOrder([...arrivals, arrival('a', 1, 'y')])).toEqual({ lines: 3, inversions: [] });
  });

  it('finds a later event that arrived before an earlier one', () => {
    expect(checkOrder([arrival('a', 2), arrival('a', 1)]).inversions).toEqual(['x a: 1 after 2']);
  });
});

describe('the chain checker', () => {
  const change = (sequence: number, oldStatus: string, newStatus: string): StatusChange => ({
    orderId: 'o',
    sequence,
    oldStatus,
    newStatus,
  });
  const at = (status: string) => new Map([['o', status]]);

  it('passes changes that follow each other, in any order of arrival', () => {
    const changes = [change(3, 'shipped', 'completed'), change(2, 'pending', 'shipped')];
    expect(checkChain(changes, at('completed'), 'pending')).toEqual({ orders: 1, broken: [] });
    expect(checkChain([], at('pending'), 'pending').broken).toEqual([]);
  });

  it('finds two changes that were both decided against the same status', () => {
    const changes = [change(2, 'pending', 'shipped'), change(3, 'pending', 'cancelled')];
    expect(checkChain(changes, at('cancelled'), 'pending').broken).toEqual([
      'o at 3: pending follows shipped',
    ]);
  });

  it('finds a lost event in the middle and at the end', () => {
    const lostInside = [change(2, 'pending', 'shipped'), change(4, 'completed', 'cancelled')];
    expect(checkChain(lostInside, at('cancelled'), 'pending').broken).toHaveLength(2);
    expect(checkChain([], at('shipped'), 'pending').broken).toEqual([
      'o: ends at pending, stands at shipped',
    ]);
  });
});

describe('the latency checker', () => {
  it('distinguishes a slowed endpoint from noise below the floor', () => {
    expect(compareLatencies([1, 1, 1], [3, 3, 3], 0.99, 10).ratio).toBe(1);
    expect(compareLatencies([20, 20], [20, 80], 0.99, 10).ratio).toBe(4);
  });
});

describe('histories', () => {
  it('call a refusal with Retry-After unknown, like a failed server', () => {
    expect([200, 201, 404, 409, 429, 502, 503, null].map(outcomeOf)).toEqual([
      'ok',
      'ok',
      'fail',
      'fail',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
    ]);
  });

  it('have the same moments for the same seed, and others for another seed', () => {
    const numbers = (seed: string): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 50 }, () => random.between(1, 1_000_000));
    };
    expect(numbers('a')).toEqual(numbers('a'));
    expect(numbers('a')).not.toEqual(numbers('b'));
    expect(numbers('a').every((value) => value >= 1 && value <= 1_000_000)).toBe(true);
  });
});
