import { useRef } from 'react';
import { isStoredRefusal } from '../shell/send-key';

/**
 * Sends under an idempotency key. The same content keeps its key, so a repeat after a lost answer takes effect once. Other
 * content, and every attempt after a refusal, gets a new key.
 */
export function useSendKey(): <Reply>(
  content: unknown,
  send: (key: string) => Promise<Reply>,
) => Promise<Reply> {
  const last = useRef({ content: '', key: '' });
  return async (given, send) => {
    const content = JSON.stringify(given);
    if (last.current.content !== content) last.current = { content, key: crypto.randomUUID() };
    try {
      return await send(last.current.key);
    } catch (error) {
      if (isStoredRefusal(error)) last.current = { content: '', key: '' };
      throw error;
    }
  };
}
