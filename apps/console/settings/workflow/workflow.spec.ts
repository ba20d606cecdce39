import { type Draft, edited, inMode, isOvertaken, isSame, toggled, unreachable } from './workflow';

const standard = inMode('default', {
  mode: 'default',
  transitions: {} as Draft['transitions'],
  closed_orders: 'refuse',
});

it('has later statuses only in the standard, and all others in the open one', () => {
  expect(standard.transitions.shipped).toEqual(['picked_up', 'completed', 'cancelled']);
  expect(standard.transitions.cancelled).toEqual([]);
  expect(inMode('open', standard).transitions.cancelled).toHaveLength(7);
});

it('begins an own workflow with what counted before, and changes one step', () => {
  const own = inMode('custom', standard);
  expect(own.transitions).toEqual(standard.transitions);
  const without = toggled(own, 'pending', 'shipped');
  expect(without.transitions.pending).not.toContain('shipped');
  expect(without.transitions.shipped).toEqual(standard.transitions.shipped);
  const back = toggled(without, 'pending', 'shipped');
  // In the order of the statuses, wherever it was added.
  expect(back).toEqual(own);
  expect(isSame(back, own)).toBe(true);
  expect(isSame(without, own)).toBe(false);
  expect(isSame(own, standard)).toBe(false);
  expect(isSame({ ...standard, closed_orders: 'allow' }, standard)).toBe(false);
});

it('makes the own workflow when a step of a fixed one is changed', () => {
  expect(toggled(standard, 'cancelled', 'pending').mode).toBe('custom');
});

it('names what no order reaches', () => {
  expect(unreachable(standard.transitions)).toEqual([]);
  const transitions = {
    ...standard.transitions,
    pending: ['shipped'],
    shipped: ['completed'],
    completed: [],
  };
  expect(unreachable(transitions as Draft['transitions'])).toEqual([
    'awaiting_payment',
    'awaiting_packing',
    'ready_pickup',
    'picked_up',
    'cancelled',
  ]);
});

it('is overtaken when another workflow counts than the one on which the changes began', () => {
  const open = inMode('open', standard);
  const one = edited(null, standard, toggled(standard, 'pending', 'shipped'));
  expect(isOvertaken(one, standard)).toBe(false);
  expect(isOvertaken(one, open)).toBe(true);
  // A further change does not start over from what a colleague has saved.
  const further = edited(one, open, inMode('custom', standard));
  expect(isOvertaken(further, open)).toBe(true);
  // The colleague had the same in mind.
  expect(isOvertaken(edited(null, standard, open), open)).toBe(false);
  expect(edited(one, standard, standard)).toBeNull();
});
