import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { QuestionIcon, TriangleIcon } from '../../controls/icon';
import { useNear, useOnScreen } from '../../controls/use-visible';
import { useWidth } from '../../controls/use-width';
import type { Inkless } from './alarms';
import { type Crop, type Part, partsOf, type Place } from './crops';
import { drawCrop, scaleOf } from './draw-crops';
import { piecesOf } from './finding';
import type { LookedAt } from './look';
import css from './paper-beside.module.css';
import { placeText } from './paper-texts';
import type { ReadPaper } from './read-paper';

interface Props {
  looked: LookedAt;
  papers: readonly ReadPaper[];
  /** No other pane is there in the review's place. */
  isShown: boolean;
  onSeen: (key: string) => void;
  onInkless: (found: Inkless) => void;
  /** `isPress`: not only walked to by keys. */
  onPlace: (place: Place, isPress: boolean) => void;
}

/** Alarms, and pieces of the paper by form, each line with what the paper has of it. */
export function PaperBeside({ looked, ...props }: Props) {
  const { found, alarms, texts, reading } = looked;
  const { forms, products, stamps } = found;
  const titleOf = (index: number) =>
    `${products[index]?.line.quantity ?? 0} × ${products[index]?.name ?? ''}`;
  const piece = (crop: Crop, title: string, name = '') => (
    <Piece key={crop.key} crop={crop} title={title} name={name} looked={looked} {...props} />
  );
  // A piece is shown once: under its line, else with its first alarm.
  const shown = new Set(piecesOf(found).map(({ key }) => key));
  const ofAlarms = alarms.map(({ crops }) =>
    crops.filter(({ key }) => {
      const isNew = !shown.has(key);
      shown.add(key);
      return isNew;
    }),
  );
  return (
    <div className={css.paper} onKeyDown={walk}>
      {reading && <p>{texts.reading(reading)}</p>}
      <ul className={css.alarms}>
        {alarms.map(({ kind, tone, text, places }, index) => (
          <li key={`${kind} ${text}`} className={css.alarm} data-tone={tone} data-alarm={kind}>
            {tone === 'red' ? <TriangleIcon /> : <QuestionIcon />}
            <div>
              <Way places={places} title={texts.show} className={css.way} onPlace={props.onPlace}>
                {text}
              </Way>
              {ofAlarms[index]?.map((crop) => piece(crop, ''))}
            </div>
          </li>
        ))}
      </ul>
      {forms.map(({ head, blocks, foot }, at) => (
        <section key={at} className={css.form}>
          {head && piece(head, texts.head)}
          {blocks.map(({ line, crops }) => (
            <div key={line}>
              <h3>{titleOf(line)}</h3>
              {crops.map((crop) => piece(crop, '', products[line]?.name))}
            </div>
          ))}
          {foot && piece(foot, texts.foot)}
        </section>
      ))}
      {products.map(
        ({ instead }, index) =>
          instead.length > 0 && (
            <section key={index} className={css.form}>
              <h3>{titleOf(index)}</h3>
              <p>{texts.instead}</p>
              {instead.map((crop) => piece(crop, ''))}
            </section>
          ),
      )}
      {stamps.length > 0 && (
        <section className={css.form}>
          <h3>{texts.stamps}</h3>
          {stamps.map((crop) => piece(crop, ''))}
        </section>
      )}
      {forms.length === 0 && alarms.length === 0 && !reading && <p>{texts.nothing}</p>}
    </div>
  );
}

/** Up and down lead from one alarm or piece to the next. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  const pieces = [...currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = pieces.findIndex((one) => one === target);
  const next = step === undefined || at < 0 ? undefined : pieces[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface WayProps extends ComponentProps<'button'>, Pick<Props, 'onPlace'> {
  places: readonly Place[];
}

/** Leads to places in the document, one after the other. */
function Way({ places, onPlace, ...props }: WayProps) {
  const pressed = useRef(0);
  const [first] = places;
  return (
    <button
      type="button"
      {...props}
      onClick={() => {
        const place = places[pressed.current % places.length];
        pressed.current += 1;
        if (place) onPlace(place, true);
      }}
      onFocus={({ currentTarget }) => {
        if (first && currentTarget.matches(':focus-visible')) onPlace(first, false);
      }}
    />
  );
}

/** Pieces of a usual request: they are drawn without asking first whether they are near. */
const AT_ONCE = 12;

/** A piece is made smaller to fit its pane, to letters of 7 px; a wider one is shown in rows. */
const LEAST_SHARE = 0.58;

interface PieceProps extends Props {
  crop: Crop;
  title: string;
  /** Of the product that it is about. */
  name: string;
}

/** One piece, as the document draws it. Pressing it leads to its place in the document. */
function Piece({ crop, title, name, looked, papers, isShown, onSeen, onInkless, onPlace }: PieceProps) {
  const { texts, names } = looked;
  const { ref: frame, widthPx } = useWidth<HTMLElement>();
  const seen = useRef(new Set<string>());
  const isNear = useNear(frame, crop.page === 1 && looked.keys.indexOf(crop.key) < AT_ONCE);
  const [last, setLast] = useState<{ what: string; state: DrawState } | null>(null);
  const [isSeen, setSeen] = useState(false);
  const document = papers.find(({ number }) => number === crop.document)?.document;
  const isMeasured = widthPx !== null;
  const scale = scaleOf(crop.size);
  const parts = partsOf(crop, (widthPx || Infinity) / (LEAST_SHARE * scale));
  const widest = Math.max(...parts.map(widthOf));
  // The same piece is found again with each page that is read.
  const what = JSON.stringify([crop, parts]);
  const state = last?.what === what ? last.state : 'waiting';
  useEffect(() => {
    const canvases = frame.current?.querySelectorAll('canvas');
    if (!isNear || !document || !isMeasured || !canvases) return undefined;
    let isLeft = false;
    const [drawn, cut] = JSON.parse(what) as [Crop, Part[]];
    drawCrop(document, drawn, pairsOf(cut, canvases)).then(
      (inkless) => {
        if (isLeft) return;
        setLast({ what, state: 'drawn' });
        for (const { of } of inkless) onInkless({ of, name, crop: drawn });
      },
      () => {
        if (!isLeft) setLast({ what, state: 'failed' });
      },
    );
    return () => {
      isLeft = true;
    };
  }, [isNear, document, isMeasured, what, name, frame, onInkless]);
  const onPartSeen = (part: Part) => {
    seen.current.add(keyOf(part));
    if (!parts.every((one) => seen.current.has(keyOf(one)))) return;
    onSeen(crop.key);
    setSeen(true);
  };
  const place = placeText(crop, texts, names);
  return (
    <figure ref={frame} className={css.piece} data-seen={isSeen}>
      <figcaption>{[place, title].filter(Boolean).join(' · ')}</figcaption>
      {state === 'failed' && <p role="status">{texts.failed}</p>}
      <Way
        className={css.parts}
        data-crop={crop.key}
        style={{ width: widest * scale }}
        title={texts.show}
        places={[crop]}
        onPlace={onPlace}
      >
        {parts.map((part, at) => (
          <PiecePart
            key={keyOf(part)}
            crop={{ ...crop, box: { ...crop.box, ...part } }}
            share={widthOf(part) / widest}
            text={at === 0 ? crop.text : null}
            state={state}
            isShown={isShown}
            onSeen={() => onPartSeen(part)}
          />
        ))}
      </Way>
    </figure>
  );
}

type DrawState = 'waiting' | 'drawn' | 'failed';

/** In a pane of another width the piece is cut elsewhere, and its parts have to be seen again. */
function keyOf({ left, right }: Part): string {
  return `${left} ${right}`;
}

function widthOf({ left, right }: Part): number {
  return right - left;
}

function pairsOf(parts: readonly Part[], canvases: Iterable<HTMLCanvasElement>) {
  const all = [...canvases];
  return parts.flatMap((part, at): [Part, HTMLCanvasElement][] => {
    const canvas = all[at];
    return canvas ? [[part, canvas]] : [];
  });
}

interface PiecePartProps extends Pick<Props, 'isShown'> {
  crop: Pick<Crop, 'box' | 'marks'>;
  /** Of the widest part. */
  share: number;
  /** Of the whole piece, for screen readers; the first part has it. */
  text: string | null;
  state: DrawState;
  onSeen: () => void;
}

function PiecePart({ crop: { box, marks }, share, text, state, isShown, onSeen }: PiecePartProps) {
  const end = useRef<HTMLElement>(null);
  useOnScreen(end, isShown && state !== 'waiting', onSeen);
  const { left, top, right, bottom } = box;
  const across = (points: number): string => `${(100 * points) / (right - left)}%`;
  const label = text === null ? { 'aria-hidden': true } : { role: 'img', 'aria-label': text };
  return (
    <span
      className={css.picture}
      style={{ width: `${100 * share}%`, aspectRatio: `${right - left} / ${bottom - top}` }}
    >
      <canvas {...label} data-state={state} />
      {marks.map((mark, index) => (
        <i
          key={index}
          style={{
            left: across(mark.left - left),
            top: `calc(${(100 * (mark.bottom - top)) / (bottom - top)}% - 1px)`,
            width: across(mark.right - mark.left),
          }}
        />
      ))}
      <b ref={end} />
    </span>
  );
}
