import type { Sender } from '@offizin/contracts/calls/call-rights';
import type { Caller } from '@offizin/contracts/calls/caller';
import { type CallKeyPairs, callKeysOf, newCallKeys } from '@offizin/local-stack/secrets';
import { CallKeys } from '@offizin/runtime/call-keys';

const pairs = newCallKeys();

/** Keys of a process; by default of this test's own installation. */
export function keysFor(process: Sender, of: CallKeyPairs = pairs): CallKeys {
  return CallKeys.of(process, callKeysOf(process, of));
}

/** The operator, who may call every operation. */
export const operator: Caller = {
  kind: 'platform',
  orgId: '',
  shopId: null,
  actorId: 'operator',
  scopes: [],
  requestId: 'r',
};
