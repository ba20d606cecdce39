const PAUSE_MS = 20;

/**
 * Waits until `probe` gives something other than null, undefined or false, and resolves with it. Rejects at the
 * deadline with the last error or with what was waited for. The only way in which a test waits.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = 10_000,
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
