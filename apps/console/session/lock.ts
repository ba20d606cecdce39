import { useSyncExternalStore } from 'react';

/**
 * Why the screen is locked: it was untouched for a while, or the session has ended. The work stays below the lock, so
 * that nothing typed is lost; only the same person gets back to it.
 */
export type LockReason = 'idle' | 'ended';

class Lock {
  private reason: LockReason | null = null;
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): LockReason | null => this.reason;

  close(reason: LockReason): void {
    // An ended session stays ended, however long the screen stays untouched.
    if (this.reason === 'ended' || this.reason === reason) return;
    this.change(reason);
  }

  open(): void {
    if (this.reason !== null) this.change(null);
  }

  /** Resolves immediately while it is open. */
  async whenOpen(): Promise<void> {
    if (this.reason === null) return;
    await new Promise<void>((resolve) => {
      const end = this.subscribe(() => {
        if (this.reason !== null) return;
        end();
        resolve();
      });
    });
  }

  private change(reason: LockReason | null): void {
    this.reason = reason;
    for (const listener of [...this.listeners]) listener();
  }
}

export const lock = new Lock();

export function useLock(): LockReason | null {
  return useSyncExternalStore(lock.subscribe, lock.current);
}
