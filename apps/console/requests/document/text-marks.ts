/** A part of a text, from the first character to the one after the last. */
interface Place {
  from: number;
  to: number;
  /** It differs from what is looked for. */
  isOther: boolean;
}

/** Reads the text of a whole page: one name may be split over several pieces. */
export type PlacesIn = (text: string) => readonly Place[];

/** document-pane.module.css gives the looks. */
const NAMES = { found: 'found-words', other: 'other-words' };

/**
 * Marks places in the text over a page. The browser paints them over the text as it is: the nodes of the text layer do
 * not change. Returns what takes the marks away.
 */
export function markPlaces(words: HTMLElement, placesIn: PlacesIn): () => void {
  // A browser without it shows the page unmarked.
  if (!('highlights' in CSS)) return () => undefined;
  const pieces = piecesIn(words);
  const marked = placesIn(pieces.map(({ text }) => text).join('')).map((place) => {
    const name = place.isOther ? NAMES.other : NAMES.found;
    const marks = CSS.highlights.get(name) ?? new Highlight();
    CSS.highlights.set(name, marks);
    return { marks, ranges: rangesOf(pieces, place) };
  });
  for (const { marks, ranges } of marked) for (const range of ranges) marks.add(range);
  return () => {
    for (const { marks, ranges } of marked) for (const range of ranges) marks.delete(range);
  };
}

interface Piece {
  node: Text | null;
  text: string;
}

/** The pieces of a page, with the spaces and line ends that pdf.ts puts between them. */
function piecesIn(element: HTMLElement): Piece[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const pieces: Piece[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text) pieces.push({ node, text: node.data }, { node: null, text: ' ' });
    else if (node instanceof HTMLBRElement) pieces.push({ node: null, text: '\n' });
  }
  return pieces;
}

function rangesOf(pieces: readonly Piece[], { from, to }: Place): Range[] {
  let start = 0;
  return pieces.flatMap(({ node, text }) => {
    const [first, last] = [Math.max(0, from - start), Math.min(text.length, to - start)];
    start += text.length;
    if (!node || first >= last) return [];
    const range = new Range();
    range.setStart(node, first);
    range.setEnd(node, last);
    return [range];
  });
}
