import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { isTaken, type LeftBehind, takeLeft } from '../../session/left-behind';
import { useSession } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { leftElsewhereToast } from '../../session/use-left-elsewhere';
import type { Held, HeldInPhase } from './held-decisions';
import { type HeldScreen, type ScreenHandlers, toastOf } from './held-screen';

export interface HeldActs<Act> {
  decided: ReadonlyMap<string, HeldInPhase<Act>>;
  /** False while there is another decision about the object. */
  decide: (object: { id: string; customer: string }, act: Act) => boolean;
  /** Takes the decision about this object back, if it is still held, and shows the object. */
  undo: (id: string) => void;
}

/** The held decisions of a screen, with their messages. */
export function useHeld<Act>(screen: HeldScreen<Act>, handlers: ScreenHandlers<Act>): HeldActs<Act> {
  const { settings } = useSession();
  useLayoutEffect(() => {
    screen.connect(handlers);
  });
  useLeftBehind(screen.name, handlers);
  const decided = useSyncExternalStore(screen.subscribe, screen.held.decided);
  const undo = (id: string) => {
    const decision = screen.held.undo(id);
    if (!decision) return;
    toasts.close(toastOf(decision));
    handlers.onBack(id, decision);
  };
  return {
    decided,
    undo,
    decide: (object, act) => {
      const undoMs = settings.undo_seconds * 1_000;
      const decision = screen.held.decide(object, act, undoMs);
      if (decision && undoMs > 0) showHeld(decision, handlers, undoMs, () => undo(object.id));
      return decision !== null;
    },
  };
}

function showHeld<Act>(
  decision: Held<Act>,
  { words }: ScreenHandlers<Act>,
  undoMs: number,
  run: () => void,
): void {
  const action = { label: words.undo, key: 'z', run };
  toasts.show({ id: toastOf(decision), text: words.held(decision), action, countdownMs: undoMs });
}

/** Time for a decision to arrive that was sent when the page was left. */
const ARRIVES_WITHIN_MS = 5_000;

/** Says what the page before this one did not get decided. */
function useLeftBehind<Act>(screen: string, handlers: ScreenHandlers<Act>): void {
  const { staff } = useSession();
  const latest = useRef(handlers);
  useLayoutEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    toasts.close(leftElsewhereToast(screen));
    for (const left of takeLeft(sessionStorage, staff.id, screen)) void tellUnlessTaken(left, latest.current);
  }, [screen, staff.id]);
}

async function tellUnlessTaken<Act>(
  left: LeftBehind,
  { read, words, onBack }: ScreenHandlers<Act>,
): Promise<void> {
  const { id } = left;
  const now = () => read(id).catch(() => null);
  const before = await now();
  if (before && isTaken(left, before.fields)) return;
  await new Promise((resolve) => window.setTimeout(resolve, ARRIVES_WITHIN_MS));
  const object = await now();
  if (object && isTaken(left, object.fields)) return;
  const shown = `left-${id}`;
  const run = () => {
    toasts.close(shown);
    onBack(id);
  };
  toasts.show({
    id: shown,
    text: words.left(object?.customer ?? null),
    tone: 'failure',
    action: { label: words.show, run },
  });
}
