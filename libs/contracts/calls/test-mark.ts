import { Flag } from './fields';

/** Marks what belongs to a test shop; left out of everything else. See docs/contract.md#test-shops */
export function TestMark(): PropertyDecorator {
  return Flag({ optional: true, description: 'true: belongs to a test shop; left out for every other shop' });
}

/** The field, for an answer or the metadata of an event. */
export function testMark(isTest: boolean): { test?: true } {
  return isTest ? { test: true } : {};
}

/** Set where a test shop refuses on purpose (`busy-`, `down-`): not a failure, whatever its status. */
export const TEST_REFUSAL_HEADER = 'x-test-refusal';
/** In place of its status in metrics, so that a partner's trial alerts no operator. */
export const TEST_REFUSAL_STATUS = 'test';
