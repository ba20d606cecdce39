/** A part of a text, from the first character to the one after the last. */
export interface Place {
  from: number;
  to: number;
}

export type PlacesIn = (text: string) => readonly Place[];

/** document-pane.module.css gives the look. */
const NAME = 'found-words';

/**
 * Marks places in the text over a page. The browser paints them over the text as it is: the nodes of the text layer do
 * not change. Returns what takes the marks away.
 */
export function markPlaces(words: HTMLElement, placesIn: PlacesIn): () => void {
  // A browser without it shows the page unmarked.
  if (!('highlights' in CSS)) return () => undefined;
  const marks = CSS.highlights.get(NAME) ?? new Highlight();
  CSS.highlights.set(NAME, marks);
  const ranges = textNodesIn(words).flatMap((node) =>
    placesIn(node.data).map(({ from, to }) => {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, to);
      return range;
    }),
  );
  for (const range of ranges) marks.add(range);
  return () => {
    for (const range of ranges) marks.delete(range);
  };
}

function textNodesIn(element: HTMLElement): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node instanceof Text) nodes.push(node);
  return nodes;
}
