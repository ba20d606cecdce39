/**
 * How long the console has been untouched. Tabs of one browser tell each other, so that a tab in the background does not
 * lock while the person works in another one.
 */
const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
const TOLD_EVERY_MS = 10_000;

let touchedAtMs = Date.now();
let toldAtMs = 0;

export function idleMs(): number {
  return Date.now() - touchedAtMs;
}

/** Returns what ends it. */
export function watchTouches(): () => void {
  const channel = new BroadcastChannel('offizin-touch');
  const touched = () => {
    touchedAtMs = Date.now();
    if (touchedAtMs - toldAtMs < TOLD_EVERY_MS) return;
    toldAtMs = touchedAtMs;
    channel.postMessage(null);
  };
  channel.onmessage = () => {
    touchedAtMs = Date.now();
  };
  for (const name of TOUCHES) window.addEventListener(name, touched, { capture: true, passive: true });
  touched();
  return () => {
    for (const name of TOUCHES) window.removeEventListener(name, touched, { capture: true });
    channel.close();
  };
}
