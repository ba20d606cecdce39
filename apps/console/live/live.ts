import type { LivePerson } from '@offizin/contracts/console/live';
import { useSyncExternalStore } from 'react';

/** A colleague who has a request open, and since when as this browser knows. */
export interface Colleague extends LivePerson {
  sinceMs: number;
}

interface State {
  /** News arrive by themselves. */
  isLive: boolean;
  people: readonly Colleague[];
}

const NOTHING: State = { isLive: false, people: [] };
/** Without the stream, what is shown is asked for this often. */
const ASK_EVERY_MS = 30_000;

class Live {
  private state = NOTHING;
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): State => this.state;

  receive({ isLive, people }: { isLive: boolean; people: readonly LivePerson[] }): void {
    const nowMs = Date.now();
    const known = new Map(this.state.people.map((person) => [keyOf(person), person.sinceMs]));
    this.state = {
      isLive,
      // The server's clock may be ahead of this one.
      people: people.map((person) => ({
        ...person,
        sinceMs: known.get(keyOf(person)) ?? Math.min(nowMs, Date.parse(person.since)),
      })),
    };
    for (const listener of [...this.listeners]) listener();
  }

  forget(): void {
    this.receive(NOTHING);
  }
}

function keyOf({ staff_id: staffId, request_id: requestId }: LivePerson): string {
  return `${staffId} ${requestId}`;
}

export const live = new Live();

export function useColleagues(): readonly Colleague[] {
  return useSyncExternalStore(live.subscribe, () => live.current().people);
}

/** For `refetchInterval`. */
export function askEvery(): number | false {
  return live.current().isLive ? false : ASK_EVERY_MS;
}
