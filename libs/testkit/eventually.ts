const PAUSE_MS = 20;

/**
 * Polls `probe` until its result is not null, undefined or false. Rejects at the deadline with the last error.
 * Tests wait in no other way.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = 20_000,
): Promise<T> {
  const endsAt = Date.now() + deadlineMs;
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
  throw new Error(`not within ${deadlineMs} ms: ${what}`, { cause: lastError });
}
