/**
 * The body of an answer in JSON. Rejects with the words of the gateway where it refuses, and otherwise with what is
 * unavailable.
 */
export async function ask<Body>(path: string, request: RequestInit = {}): Promise<Body> {
  const answer = await fetch(path, request).catch(() => null);
  if (answer?.ok) return (await answer.json()) as Body;
  const refusal: unknown = await answer?.json().catch(() => null);
  throw new Error(
    wordsOf(refusal) ?? `${path} is unavailable: ${answer ? `HTTP ${answer.status}` : 'no answer'}`,
  );
}

function wordsOf(refusal: unknown): string | undefined {
  if (typeof refusal !== 'object' || refusal === null || !('message' in refusal)) return undefined;
  return typeof refusal.message === 'string' ? refusal.message : undefined;
}
