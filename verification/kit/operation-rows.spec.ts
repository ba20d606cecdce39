import { connectorOperations, organizationOperations } from '@offizin/contracts/operations';
import { rowOf } from './operation-call';
import { OPERATION_ROWS } from './operation-rows';

const called = [...organizationOperations, ...connectorOperations];

it.each(called.map((op) => [op.name, op]))('%s has a row that says how it is called', (_, op) => {
  expect(() => rowOf(op)).not.toThrow();
});

it('has no row without an operation', () => {
  const names = new Set(called.map(({ name }) => name));
  expect(Object.keys(OPERATION_ROWS).filter((name) => !names.has(name))).toEqual([]);
});
