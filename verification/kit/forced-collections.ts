import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTick } from 'node:timers/promises';

/** How many garbage collections the code asked for while `work` ran; V8's own are not counted. */
export async function forcedCollections(work: () => Promise<void>): Promise<number> {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    count += list.getEntries().filter((entry) => 'detail' in entry && isForced(entry.detail)).length;
  });
  observer.observe({ entryTypes: ['gc'] });
  try {
    await work();
    // Entries arrive after the tick of the collection.
    for (let tick = 0; tick < 3; tick++) await nextTick();
    return count;
  } finally {
    observer.disconnect();
  }
}

function isForced(detail: unknown): boolean {
  if (typeof detail !== 'object' || detail === null || !('flags' in detail)) return false;
  return detail.flags === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;
}
