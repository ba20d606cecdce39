import { SLOWNESS } from './test-run';

const PAUSE_MS = 20;

/**
 * Polls `probe` until its result is not null, undefined or false. Rejects at the deadline with the last error.
 * The deadline multiplies by the slowness of the machine. Tests wait in no other way.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = 20_000,
): Promise<T> {
  const limitMs = deadlineMs * SLOWNESS;
  const endsAt = Date.now() + limitMs;
  let lastError: unknown;
  while (Date.now() < endsAt) {
    try {
      const value = await probe();
      if (value !== null && value !== undefined && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`not within ${limitMs} ms: ${what}`, { cause: lastError });
}
