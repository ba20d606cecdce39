import type { Formats } from '../../text/formats';
import { type Alarm, alarmsOf, type IssueRule } from './alarms';
import { drawAhead } from './draw-crops';
import { type Found, foundIn, lookAt, type PageLook, type WantedPaper } from './finding';
import { alarmText } from './paper-texts';
import type { PaperTexts } from './paper.de';
import type { ReadPaper } from './read-paper';

/** What the review shows of all prescriptions of a request. */
export interface LookedAt {
  found: Found;
  alarms: readonly Said[];
  texts: PaperTexts;
  /** Several documents: their numbers are named. */
  hasMore: boolean;
  /** Of all pieces that are shown. */
  keys: readonly string[];
  /** A line that was found where nothing is drawn. */
  inkless: (name: string) => Said;
}

type Said = Alarm & { text: string };

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
  const said = (alarm: Alarm): Said => ({ ...alarm, text: alarmText(alarm, texts, { formats, hasMore }) });
  const alarms = alarmsOf(found, wanted, rule).map(said);
  const pieces = [
    ...found.forms.flatMap(({ head, blocks, foot }) => [head, ...blocks.flatMap(({ crops }) => crops), foot]),
    ...[...found.products.map(({ instead }) => instead), ...alarms.map(({ crops }) => crops)].flat(),
  ];
  return {
    found,
    alarms,
    keys: [...new Set(pieces.flatMap((crop) => crop?.key ?? []))],
    texts,
    hasMore,
    inkless: (name) => said({ tone: 'red', kind: 'ink', said: { name }, crops: [] }),
  };
}
