import type { Formats } from '../../text/formats';
import {
  type Alarm,
  type AlarmOf,
  alarmsOf,
  inkAlarms,
  type Inkless,
  type IssueRule,
  placesOf,
  type Said,
} from './alarms';
import type { Place } from './crops';
import { drawAhead } from './draw-crops';
import { type Found, foundIn, lookAt, type PageLook, piecesOf, type WantedPaper } from './finding';
import type { PaperTexts, TextWay } from './paper.de';
import type { ReadPaper } from './read-paper';

/** What the review shows of all prescriptions of a request. */
export interface LookedAt {
  found: Found;
  alarms: readonly ShownAlarm[];
  texts: PaperTexts;
  /** Several documents: their numbers are named. */
  hasMore: boolean;
  /** Of all pieces that are shown. */
  keys: readonly string[];
  /** What was found where nothing is drawn. */
  inkless: (all: readonly Inkless[]) => ShownAlarm[];
}

/** `places`: where the document shows it, one after the other. */
type ShownAlarm = Alarm & { text: string; places: readonly Place[] };

interface Way {
  rule: IssueRule;
  texts: PaperTexts;
  formats: Formats;
  signal: AbortSignal;
}

/** A longer turn holds up keys and drawing. */
const TURN_MS = 12;

export async function lookAtPapers(
  papers: readonly ReadPaper[],
  wanted: WantedPaper,
  { rule, texts, formats, signal }: Way,
): Promise<LookedAt> {
  for (const { document, pages } of papers) if (pages[0]?.lines.length) drawAhead(document, pages[0]);
  const looks: PageLook[] = [];
  let startedAt = performance.now();
  for (const page of papers.flatMap(({ pages }) => pages)) {
    if (performance.now() - startedAt > TURN_MS) {
      await new Promise((go) => setTimeout(go));
      signal.throwIfAborted();
      startedAt = performance.now();
    }
    looks.push(lookAt(page, wanted));
  }
  const found = foundIn(looks, wanted);
  const hasMore = papers.length > 1;
  const shown = (alarm: Alarm): ShownAlarm => ({
    ...alarm,
    text: textOf(alarm, texts, { date: formats.date, hasMore }),
    places: placesOf(alarm, looks),
  });
  const alarms = alarmsOf(found, wanted, rule).map(shown);
  const pieces = [...piecesOf(found), ...alarms.flatMap(({ crops }) => crops)];
  return {
    found,
    alarms,
    keys: [...new Set(pieces.map(({ key }) => key))],
    texts,
    hasMore,
    inkless: (all) => inkAlarms(all, found).map(shown),
  };
}

function textOf<Kind extends keyof Said>(alarm: AlarmOf<Kind>, { alarm: texts }: PaperTexts, way: TextWay) {
  return texts[alarm.kind](alarm.said, way);
}
