import { useSyncExternalStore } from 'react';
import { ApiError } from '../calls/api';

/** Changes of people, keys and secrets need a password that was confirmed lately. The server decides when it was. */

type Answer = (isConfirmed: boolean) => void;

class Confirmation {
  private waiting: readonly Answer[] = [];
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly isAsked = (): boolean => this.waiting.length > 0;

  /** Resolves when the person has confirmed, or will not. */
  ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.change([...this.waiting, resolve]);
    });
  }

  answer(isConfirmed: boolean): void {
    const answered = this.waiting;
    this.change([]);
    for (const answer of answered) answer(isConfirmed);
  }

  private change(waiting: readonly Answer[]): void {
    this.waiting = waiting;
    for (const listener of [...this.listeners]) listener();
  }
}

export const confirmation = new Confirmation();

export function useIsConfirmationAsked(): boolean {
  return useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
}

/** Sends again after the person has confirmed the password, when the server asks for that. */
export async function withConfirmation<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'forbidden')) throw error;
    if (!(await confirmation.ask()))
      throw new ApiError(403, 'not_confirmed', 'the password was not confirmed', null);
    return send();
  }
}
