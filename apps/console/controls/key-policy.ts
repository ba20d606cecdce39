import { createContext, useContext } from 'react';

/** Whether single keys act, as the person has set it: always, with Alt only, or never. */
export type KeyPolicy = 'on' | 'alt' | 'off';

export const KeyPolicyContext = createContext<KeyPolicy>('on');

/** For labels on buttons. */
export function useKeyPolicy(): KeyPolicy {
  return useContext(KeyPolicyContext);
}
