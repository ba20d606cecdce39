/** What runs inside the page. Each function is sent as text: it may use nothing of this file but its types. */
interface Probe {
  /** Since the navigation; 0 before the first paint. */
  largestPaintMs: number;
  /** By interaction: from the key press to the next paint. Those below 16 ms are not reported by the browser. */
  interactionsMs: Map<number, number>;
  stopwatch: Promise<number[]>;
}
interface PaintEntry {
  startTime: number;
  duration: number;
  interactionId?: number;
}
interface PageElement {
  scrollTop: number;
  querySelectorAll: (selector: string) => { length: number };
}
declare const window: { offizinProbe: Probe };
declare const document: { querySelector: (selector: string) => PageElement | null };
declare const addEventListener: (
  name: 'keydown',
  listener: (event: { timeStamp: number }) => void,
  options: { once: true; capture: true },
) => void;
declare const requestAnimationFrame: (callback: (nowMs: number) => void) => void;
declare const PerformanceObserver: new (callback: (list: { getEntries: () => PaintEntry[] }) => void) => {
  observe: (options: object) => void;
};

/** Before any script of the page. */
export function installProbe(): void {
  const probe: Probe = { largestPaintMs: 0, interactionsMs: new Map(), stopwatch: Promise.resolve([]) };
  window.offizinProbe = probe;
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) probe.largestPaintMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId = 0, duration } of list.getEntries())
      if (interactionId > 0)
        probe.interactionsMs.set(
          interactionId,
          Math.max(duration, probe.interactionsMs.get(interactionId) ?? 0),
        );
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
}

/** Takes the time until each selector has matched and was painted: since the navigation, or since the next key press. */
export function startStopwatch({
  selectors,
  since,
}: {
  selectors: string[];
  since: 'navigation' | 'key';
}): void {
  let startedAtMs = since === 'navigation' ? 0 : Number.NaN;
  if (since === 'key')
    addEventListener('keydown', ({ timeStamp }) => (startedAtMs = timeStamp), { once: true, capture: true });
  const painted = (selector: string): Promise<number> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!(startedAtMs >= 0) || document.querySelector(selector) === null)
          return requestAnimationFrame(look);
        // A timer runs after the frame was painted.
        setTimeout(() => resolve(performance.now() - startedAtMs));
      };
      requestAnimationFrame(look);
    });
  window.offizinProbe.stopwatch = Promise.all(selectors.map(painted));
}

export function readStopwatch(): Promise<number[]> {
  return window.offizinProbe.stopwatch;
}

export function readPaints(): { largestMs: number; interactionsMs: number[] } {
  const { largestPaintMs, interactionsMs } = window.offizinProbe;
  return { largestMs: largestPaintMs, interactionsMs: [...interactionsMs.values()] };
}

export interface Scroll {
  /** Of the element that scrolls. */
  selector: string;
  rows: string;
  pxPerSecond: number;
  durationMs: number;
}

/** Scrolls at a constant speed; answers the length of each frame, and how many rows stood in the page at most. */
export function scrollSteadily(scroll: Scroll): Promise<{ framesMs: number[]; mostRows: number }> {
  const { selector, rows, pxPerSecond, durationMs } = scroll;
  const scroller = document.querySelector(selector);
  if (!scroller) throw new Error(`nothing is ${selector}`);
  return new Promise((resolve) => {
    const framesMs: number[] = [];
    let [startedAtMs, lastMs, mostRows] = [0, 0, 0];
    const frame = (nowMs: number): void => {
      if (lastMs === 0) startedAtMs = nowMs;
      else framesMs.push(nowMs - lastMs);
      lastMs = nowMs;
      mostRows = Math.max(mostRows, scroller.querySelectorAll(rows).length);
      if (nowMs - startedAtMs >= durationMs) return resolve({ framesMs, mostRows });
      scroller.scrollTop = ((nowMs - startedAtMs) * pxPerSecond) / 1000;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}
