import type { Page } from 'playwright-core';
import { readPaints, scrollSteadily } from '../browser/probe';
import { timedKeys, timedLoad, type Visit, visiting } from '../browser/visit';
import type { Bench } from '../bench';
import { quantile } from '../load/tally';
import { median } from '../median';
import { once } from '../once';
import type { Bar, Measured, Row, Unit } from '../row';

/** What a pharmacist waits for, in a real browser. A row names its bar. */
const LOADS = 3;
const STEPS = 60;
const REFERENCE_STEPS = 20;
const ROUTE_CHANGES = 10;
/** A person reads before the next key; the request after this one is fetched meanwhile. */
const READING_MS = 400;
const SCROLL = { pxPerSecond: 3_600, durationMs: 15_000 };
/** The browser reports no interaction that is faster. */
const UNREPORTED_MS = 16;

const ROW = '[role=option]';
const REVIEW = '[role=group] button[data-kind=danger]';
/** The pane of the document. The buttons of a decision wait for longer: the person must have had time to look. */
const DRAWN = 'section[aria-busy=false]';
const SETTINGS = 'main form';

const REFERENCE = 'a list without a framework on a bare server';

export const consolePageRows: Row[] = [
  row('cold load to the list', 'ms', { of: 'value', atMost: 1_000 }, REFERENCE, async (bench) => {
    const { list, reference } = await coldLoads(bench);
    return against(list, reference);
  }),
  row(
    'cold load to the prescription drawn',
    'ms',
    { of: 'value', atMost: 1_500 },
    REFERENCE,
    async (bench) => {
      const { drawn, reference } = await coldLoads(bench);
      return against(drawn, reference);
    },
  ),
  row('largest contentful paint, cold', 'ms', { of: 'value', atMost: 1_200 }, REFERENCE, async (bench) => {
    const { largest, referenceLargest } = await coldLoads(bench);
    return against(largest, referenceLargest);
  }),
  ...quantileRows('j to the next request painted', 50, 150, ({ painted }) => painted),
  ...quantileRows('j to its prescription drawn', 150, 300, ({ drawn }) => drawn),
  row('key press to the next paint, p75', 'ms', { of: 'value', atMost: 100 }, REFERENCE, async (bench) => {
    const { interactions, referenceInteractions } = await steps(bench);
    return against(quantile(interactions, 0.75), quantile(referenceInteractions, 0.75));
  }),
  row('first change of page', 'ms', { of: 'value', atMost: 150 }, 'the same again', async (bench) => {
    const { first, again } = await routeChanges(bench);
    return against(first, again);
  }),
  row('change of page, again', 'ms', { of: 'value', atMost: 100 }, 'the first time', async (bench) => {
    const { first, again } = await routeChanges(bench);
    return against(again, first);
  }),
  row(
    'scrolling the list at 3,600 px/s, frames',
    '/s',
    { of: 'value', atLeast: 55 },
    REFERENCE,
    async (bench) => {
      const { product, reference } = await scrolling(bench);
      return against(framesPerSecond(product.framesMs), framesPerSecond(reference.framesMs));
    },
  ),
  row('scrolling the list, frame, p95', 'ms', { of: 'value', atMost: 20 }, REFERENCE, async (bench) => {
    const { product, reference } = await scrolling(bench);
    return against(quantile(product.framesMs, 0.95), quantile(reference.framesMs, 0.95));
  }),
  row(
    'scrolling the list, rows in the page at most',
    'rows',
    { of: 'value', atMost: 40 },
    REFERENCE,
    async (bench) => {
      const { product, reference } = await scrolling(bench);
      return against(product.mostRows, reference.mostRows);
    },
  ),
  row(
    `heap after ${STEPS} prescriptions`,
    'MB',
    { of: 'value', atMost: 30 },
    'after a third of them',
    async (bench) => {
      const { heapMb, earlierHeapMb } = await steps(bench);
      return against(heapMb, earlierHeapMb);
    },
  ),
];

function row(name: string, unit: Unit, bar: Bar, held: string, run: Row['run']): Row {
  return { name: `console page: ${name}`, unit, bar, against: held, run };
}

function quantileRows(name: string, p50: number, p95: number, of: (walk: Walk) => number[]): Row[] {
  const bars = [
    [0.5, p50],
    [0.95, p95],
  ] as const;
  return bars.map(([share, atMost]) =>
    row(`${name}, p${share * 100}`, 'ms', { of: 'value', atMost }, REFERENCE, async (bench) => {
      const walk = await steps(bench);
      return against(quantile(of(walk), share), quantile(walk.referencePainted, share));
    }),
  );
}

function against(product: number, raw: number): Measured {
  return { product, raw, ratio: product / raw };
}

const coldLoads = once((bench) =>
  visiting(bench, async (visit) => {
    const loads: {
      list: number;
      drawn: number;
      largest: number;
      reference: number;
      referenceLargest: number;
    }[] = [];
    while (loads.length < loadsOf(bench)) {
      const [[list = Number.NaN, drawn = Number.NaN], largest] = await coldLoad(visit, requestsOf(visit), [
        ROW,
        DRAWN,
      ]);
      const [[reference = Number.NaN], referenceLargest] = await coldLoad(visit, visit.referenceUrl, [ROW]);
      loads.push({ list, drawn, largest, reference, referenceLargest });
    }
    const of = (figure: keyof (typeof loads)[number]): number => median(loads.map((load) => load[figure]));
    return {
      list: of('list'),
      drawn: of('drawn'),
      largest: of('largest'),
      reference: of('reference'),
      referenceLargest: of('referenceLargest'),
    };
  }),
);

async function coldLoad(visit: Visit, url: string, selectors: string[]): Promise<[number[], number]> {
  const page = await visit.newWindow();
  const times = await timedLoad(page, url, selectors);
  const { largestMs } = await page.evaluate(readPaints);
  await page.context().close();
  return [times, largestMs];
}

function loadsOf({ quick }: Bench): number {
  return quick ? 1 : LOADS;
}

function requestsOf({ consoleUrl }: Visit): string {
  return `${consoleUrl}/requests`;
}

/** In ms, ascending. */
interface Walk {
  painted: number[];
  drawn: number[];
  interactions: number[];
  referencePainted: number[];
  referenceInteractions: number[];
  heapMb: number;
  earlierHeapMb: number;
}

const steps = once((bench) =>
  visiting(bench, async (visit): Promise<Walk> => {
    const page = await visit.newWindow();
    await timedLoad(page, requestsOf(visit), [DRAWN]);
    const count = bench.quick ? 6 : STEPS;
    const earlier = await walk(page, count / 3, [REVIEW, DRAWN]);
    const earlierHeapMb = await heapMb(page);
    const later = await walk(page, count - count / 3, [REVIEW, DRAWN]);
    const all = [...earlier, ...later];
    const reference = await visit.newWindow();
    await timedLoad(reference, visit.referenceUrl, [ROW]);
    const referenceCount = bench.quick ? 3 : REFERENCE_STEPS;
    const plain = await walk(reference, referenceCount, [ROW]);
    return {
      painted: sorted(all.map(([painted]) => painted)),
      drawn: sorted(all.map(([, drawn]) => drawn)),
      interactions: await interactionsOf(page, count),
      referencePainted: sorted(plain.map(([painted]) => painted)),
      referenceInteractions: await interactionsOf(reference, referenceCount),
      heapMb: await heapMb(page),
      earlierHeapMb,
    };
  }),
);

/** Presses `j` again and again; the times until the row after the selected one, with each of these, was painted. */
async function walk(page: Page, count: number, shown: string[]): Promise<number[][]> {
  const times: number[][] = [];
  while (times.length < count) {
    await page.waitForTimeout(READING_MS);
    const before = await page.locator('[role=option][aria-selected=true]').getAttribute('id');
    const next = `[role=option][aria-selected=true]:not(#${before ?? ''})`;
    const selectors = shown.map((selector) => `body:has(${next}):has(${selector})`);
    times.push(await timedKeys(page, ['j'], selectors));
  }
  return times;
}

async function interactionsOf(page: Page, pressed: number): Promise<number[]> {
  const { interactionsMs } = await page.evaluate(readPaints);
  const unreported = Math.max(0, pressed - interactionsMs.length);
  return sorted([...interactionsMs, ...Array.from({ length: unreported }, () => UNREPORTED_MS)]);
}

async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1024 ** 2;
}

const routeChanges = once((bench) =>
  visiting(bench, async (visit) => {
    const firsts: number[] = [];
    const agains: number[] = [];
    for (let number = 0; number < loadsOf(bench); number++) {
      const page = await visit.newWindow();
      await timedLoad(page, requestsOf(visit), [DRAWN]);
      firsts.push(...(await timedKeys(page, ['g', 'e'], [SETTINGS])));
      for (let change = 0; change < (bench.quick ? 1 : ROUTE_CHANGES); change++) {
        agains.push(...(await timedKeys(page, ['g', 'r'], [ROW])));
        agains.push(...(await timedKeys(page, ['g', 'e'], [SETTINGS])));
      }
      await page.context().close();
    }
    return { first: median(firsts), again: median(agains) };
  }),
);

const scrolling = once((bench) =>
  visiting(bench, async (visit) => {
    const page = await visit.newWindow();
    await timedLoad(page, requestsOf(visit), [DRAWN]);
    const product = await scrolled(bench, page);
    const reference = await visit.newWindow();
    await timedLoad(reference, visit.referenceUrl, [ROW]);
    return { product, reference: await scrolled(bench, reference) };
  }),
);

async function scrolled(bench: Bench, page: Page) {
  const durationMs = bench.quick ? 1_000 : SCROLL.durationMs;
  const { framesMs, mostRows } = await page.evaluate(scrollSteadily, {
    selector: '[role=listbox]',
    rows: ROW,
    ...SCROLL,
    durationMs,
  });
  return { framesMs: sorted(framesMs), mostRows };
}

function framesPerSecond(framesMs: readonly number[]): number {
  return (1_000 * framesMs.length) / framesMs.reduce((sum, ms) => sum + ms, 0);
}

function sorted(values: readonly (number | undefined)[]): number[] {
  return values.map((value) => value ?? Number.NaN).sort((a, b) => a - b);
}
