const REPEATED_AFTER_MS = 60_000;
const LINES_KEPT = 200;
const saidAtMs = new Map<string, number>();

/** Calls `say` unless the same line was said within the last minute: attempts that fail come several times a second. */
export function sayOnce(line: string, say: () => void, nowMs = performance.now()): void {
  const last = saidAtMs.get(line);
  if (last !== undefined && nowMs - last < REPEATED_AFTER_MS) return;
  if (saidAtMs.size >= LINES_KEPT) saidAtMs.clear();
  saidAtMs.set(line, nowMs);
  say();
}
