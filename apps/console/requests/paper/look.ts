import { readableName } from '../../text/customer-name';
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
import type { DocumentNames, PaperTexts, TextWay } from './paper.de';
import type { ReadPaper } from './read-paper';

/** What the review shows of all prescriptions of a request. */
export interface LookedAt {
  found: Found;
  alarms: readonly ShownAlarm[];
  texts: PaperTexts;
  /** Where the request has several documents, pieces and alarms name theirs. */
  names: DocumentNames;
  /** Of all pieces that are shown. */
  keys: readonly string[];
  /** What was found where nothing is drawn. */
  inkless: (all: readonly Inkless[]) => ShownAlarm[];
}

/** `places`: where the document shows it, one after the other. */
type ShownAlarm = Alarm & { text: string; places: readonly Place[] };

interface Way {
  /** Of all documents of the request. */
  names: readonly (readonly [number: number, name: string | null])[];
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
  { names: all, rule, texts, formats, signal }: Way,
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
  const names =
    all.length > 1 ? Object.fromEntries(all.map(([number, name]) => [number, named(name)])) : null;
  const shown = (alarm: Alarm): ShownAlarm => ({
    ...alarm,
    text: textOf(alarm, texts, { date: formats.date, names }),
    places: placesOf(alarm, looks),
  });
  const alarms = alarmsOf(found, wanted, rule).map(shown);
  const pieces = [...piecesOf(found), ...alarms.flatMap(({ crops }) => crops)];
  return {
    found,
    alarms,
    keys: [...new Set(pieces.map(({ key }) => key))],
    texts,
    names,
    inkless: (inkless) => inkAlarms(inkless, found).map(shown),
  };
}

/** A sentence with it is kept by the decision, up to 100 characters. */
const MOST_NAME = 30;

/** As the tab of the document has it after its number. */
function named(name: string | null): string {
  const readable = readableName(name?.slice(0, MOST_NAME) ?? null);
  return readable === null ? '' : ` · ${readable}`;
}

function textOf<Kind extends keyof Said>(alarm: AlarmOf<Kind>, { alarm: texts }: PaperTexts, way: TextWay) {
  return texts[alarm.kind](alarm.said, way);
}
