import { useRef } from 'react';

/**
 * Idempotency key of what is sent: the same content again, as after a lost answer, is not done twice; other content is
 * something new.
 */
export function useSendKey(): (content: unknown) => string {
  const last = useRef({ content: '', key: '' });
  return (given) => {
    const content = JSON.stringify(given);
    if (last.current.content !== content) last.current = { content, key: crypto.randomUUID() };
    return last.current.key;
  };
}
