/** The name as it can be read; null for none, and for one of characters that show nothing. */
export function readableName(name: string | null): string | null {
  const hasInk = name !== null && /[^\p{C}\p{Z}\p{M}\u115f\u1160\u3164\uffa0]/u.test(name);
  return hasInk ? name : null;
}
