import { wholeOf } from './audit-objects';
import type { Entry } from './audit.calls';

/** An entry of the list, with the openings that it represents; of other actions it is the only one. */
export interface Row extends Entry {
  /** Newest first. */
  openings: readonly Entry[];
}

const OPENS = new Set([
  'prescription.view',
  'prescription.read',
  'prescription.fetch-ahead',
  'prescription.fetch',
  'e-prescription.view',
  'order-request.read',
  'order-request.fetch',
  'customer.read',
]);

/**
 * One row for the openings of one object by one actor in one way, until something else happens to the object. An
 * opening before a decision and one after it stay apart. `entries`: newest first. `unfolded`: newest entries of the
 * rows to be shown one by one.
 */
export function foldOpenings(entries: readonly Entry[], unfolded: ReadonlySet<string>): Row[] {
  const bySubject = new Map<string, Map<string, Entry[]>>();
  return entries.flatMap((entry): Row[] => {
    const { actor, action, object } = entry;
    const subject = wholeOf(object);
    if (!OPENS.has(action)) {
      bySubject.delete(subject);
      return [{ ...entry, openings: [entry] }];
    }
    const ways = bySubject.get(subject) ?? new Map<string, Entry[]>();
    bySubject.set(subject, ways);
    const way = `${actor} ${action} ${object}`;
    const openings = ways.get(way) ?? [];
    ways.set(way, openings);
    openings.push(entry);
    const isShown = openings.length === 1 || unfolded.has(openings[0]?.id ?? '');
    return isShown ? [{ ...entry, openings }] : [];
  });
}
