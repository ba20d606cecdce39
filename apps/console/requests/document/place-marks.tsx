import type { PDFPageProxy } from 'pdfjs-dist';
import { useEffect, useRef } from 'react';
import type { Place } from '../paper/crops';
import type { Box } from '../paper/page-lines';
import css from './document-pane.module.css';

/** Places of a page, in the direction in which it was read. */
export interface PagePlaces {
  rotation: number;
  boxes: readonly Box[];
}

/** The place that a person has asked for; another `at` asks again. */
export interface WantedPlace extends Place {
  at: number;
}

interface Props {
  page: PDFPageProxy;
  /** In which the page is shown, in degrees. */
  rotation: number;
  places: PagePlaces | null;
  wanted: WantedPlace | null;
}

/** What the pieces of the paper show, marked over the page, however it is turned. */
export function PlaceMarks({ page, rotation, places, wanted }: Props) {
  const chosen = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = chosen;
    current?.scrollIntoView({ block: isPage(current.style) ? 'start' : 'center', inline: 'nearest' });
  }, [wanted]);
  const styleOf = (box: Box, from: number) => shownAt(page, { from, to: rotation }, box);
  const asked = wanted && styleOf(wanted.box, wanted.rotation);
  return (
    <div className={css.marks} aria-hidden>
      {places?.boxes.map((box, index) => (
        <span key={index} data-mark style={styleOf(box, places.rotation)} />
      ))}
      {asked && <span ref={chosen} data-wanted={isPage(asked) ? 'page' : 'piece'} style={asked} />}
    </div>
  );
}

/** The page as a whole is asked for. */
function isPage({ height }: { height: string }): boolean {
  return Number.parseFloat(height) > 99;
}

/** In parts of the page, so that it stays right at any size. */
function shownAt(page: PDFPageProxy, { from, to }: { from: number; to: number }, box: Box) {
  const read = page.getViewport({ scale: 1, rotation: from });
  const shown = page.getViewport({ scale: 1, rotation: to });
  const corners = [
    [box.left, box.top],
    [box.right, box.bottom],
  ].map(([x, y]) => {
    const [atX, atY] = read.convertToPdfPoint(x ?? 0, y ?? 0) as [number, number];
    return shown.convertToViewportPoint(atX, atY) as [number, number];
  });
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const part = (value: number, whole: number): string => `${(value / whole) * 100}%`;
  return {
    left: part(Math.min(...xs), shown.width),
    top: part(Math.min(...ys), shown.height),
    width: part(Math.max(...xs) - Math.min(...xs), shown.width),
    height: part(Math.max(...ys) - Math.min(...ys), shown.height),
  };
}
