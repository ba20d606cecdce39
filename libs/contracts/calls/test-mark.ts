import { Flag } from './fields';

/** Marks what belongs to a test shop; left out of everything else. See docs/contract.md#test-shops */
export function TestMark(): PropertyDecorator {
  return Flag({ optional: true, description: 'true: belongs to a test shop; left out for every other shop' });
}

/** The field, for an answer or the metadata of an event. */
export function testMark(isTest: boolean): { test?: true } {
  return isTest ? { test: true } : {};
}
