import { memo, type MouseEvent, useCallback, useLayoutEffect, useRef } from 'react';
import type { ReviewFlag, ReviewRow } from '@offizin/contracts/requests/review';
import { Chip } from '../../controls/chip';
import { type ListedRows, useRowWindow } from '../../controls/row-window';
import { TestChip } from '../../lists/test-chip';
import { Faces } from '../../live/faces';
import type { Selecting } from '../../lists/use-selection';
import { initialsOf, readableName, readableOf } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import css from './request-list.module.css';

/** Height of a row in px; request-list.module.css has the same. */
const ROW_PX = 76;

interface Props extends ListedRows<ReviewRow> {
  total: number;
  onOpen: (id: string) => void;
  selecting: Pick<Selecting<ReviewRow>, 'selection' | 'mark'>;
}

/** The request list: a list box of real elements, of which only those on the screen exist. */
export function RequestList({ total, onOpen, selecting: { selection, mark }, ...list }: Props) {
  const texts = useTexts();
  const { scroller, shown, heightPx, isSelected } = useRowWindow(list, ROW_PX);
  const { rows, selectedId } = list;

  const rowsMoved = useMovedRows(rows);
  useLayoutEffect(() => {
    const scrolledPx = scroller.current?.scrollTop ?? 0;
    scroller.current?.scrollBy(0, rowsMoved(scrolledPx) * ROW_PX);
  }, [rowsMoved, scroller]);

  // The same function at each rendering, so that only the rows that change are rendered again.
  const latest = useRef({ mark, onOpen });
  useLayoutEffect(() => {
    latest.current = { mark, onOpen };
  });
  const onPress = useCallback((id: string, { target, shiftKey }: MouseEvent) => {
    const isMark = target instanceof Element && target.closest('[data-mark]') !== null;
    if (isMark) latest.current.mark(id, shiftKey);
    else latest.current.onOpen(id);
  }, []);
  return (
    <div
      ref={scroller}
      className={css.scroller}
      role="listbox"
      aria-multiselectable
      tabIndex={0}
      aria-label={texts.requests.listLabel}
      aria-activedescendant={selectedId !== undefined && isSelected ? rowId(selectedId) : undefined}
    >
      <div className={css.canvas} style={{ height: heightPx }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return (
            row && (
              <RequestRow
                key={row.id}
                row={row}
                isSelected={row.id === selectedId}
                isMarked={selection.has(row.id)}
                position={index + 1}
                total={total}
                top={start}
                onPress={onPress}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** By how many rows the first visible one has moved since the list before, so that it stays where it is read. */
function useMovedRows(rows: readonly ReviewRow[]): (scrolledPx: number) => number {
  const before = useRef(rows);
  return useCallback(
    (scrolledPx) => {
      const was = Math.ceil(scrolledPx / ROW_PX);
      const anchor = before.current[was];
      const now = rows.findIndex(({ id }) => id === anchor?.id);
      before.current = rows;
      return now < 0 || scrolledPx === 0 ? 0 : now - was;
    },
    [rows],
  );
}

interface RequestRowProps {
  row: ReviewRow;
  /** It is open. */
  isSelected: boolean;
  /** Acts on many rows take it. */
  isMarked: boolean;
  position: number;
  total: number;
  top: number;
  onPress: (id: string, event: MouseEvent) => void;
}

/**
 * One request in the list. Its height is fixed, so that the list knows every position without measuring. With another
 * selection only two rows are rendered again.
 */
const RequestRow = memo(function RequestRow({
  row,
  isSelected,
  isMarked,
  position,
  total,
  top,
  onPress,
}: RequestRowProps) {
  const texts = useTexts();
  const formats = useFormats();
  // A source may share the name of another partner.
  const lines = readableOf(row.lines_text);
  const source = [row.integration, row.source].map(readableName).filter(Boolean).join(' · ');
  return (
    // The list box owns focus and keys; a row only takes the pointer.
    <div
      id={rowId(row.id)}
      role="option"
      aria-selected={isSelected}
      aria-checked={isMarked}
      aria-posinset={position}
      aria-setsize={total}
      className={isSelected ? `${css.row} ${css.selected}` : css.row}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => onPress(row.id, event)}
    >
      <span className={css.mark} data-mark title={texts.requests.selectOne}>
        <span data-box />
      </span>
      <div className={css.line}>
        <span className={css.name} dir="auto" title={row.customer_name ?? undefined}>
          {readableName(row.customer_name) ?? texts.requests.nameless}
        </span>
        <time className={css.age} dateTime={row.created_at} title={formats.exact(row.created_at)}>
          {formats.age(row.created_at)}
        </time>
      </div>
      <div className={css.line}>
        <span className={css.items} title={lines}>
          {lines || texts.requests.noLines}
        </span>
        <span className={css.total}>{formats.money(row.total_amount)}</span>
      </div>
      <div className={css.line}>
        <span className={css.source} title={source}>
          {source}
        </span>
        <span className={css.chips}>
          <Faces requestId={row.id} />
          <TestChip of={row} />
          <PlanChips plan={row.plan} />
          {isDecided(row) && (
            <Chip tone={row.status === 'rejected' ? 'danger' : 'plain'}>
              {texts.requests.status[row.status]}
            </Chip>
          )}
          {row.first_approval && (
            <Chip tone="info">{texts.requests.secondLook.chip(initialsOf(row.first_approval.by))}</Chip>
          )}
          {row.flags.map((flag) => (
            <Chip key={flag} tone={toneOfFlag(flag)}>
              {texts.requests.flag[flag]}
            </Chip>
          ))}
        </span>
      </div>
    </div>
  );
});

function isDecided({ status }: ReviewRow): boolean {
  return status !== 'pending' && status !== 'needs_clarification';
}

/** Then the hour alone says when. */
function isWithinDay(time: string): boolean {
  return Date.parse(time) - Date.now() < 86_400_000;
}

function PlanChips({ plan: { assigned_to: person, parked_until: until } }: Pick<ReviewRow, 'plan'>) {
  const { assigned } = useTexts().requests;
  const formats = useFormats();
  return (
    <>
      {person && <Chip tone="info">{assigned.to(initialsOf(person.name))}</Chip>}
      {until !== null && <Chip>{assigned.until(formats[isWithinDay(until) ? 'time' : 'date'](until))}</Chip>}
    </>
  );
}

function rowId(requestId: string): string {
  return `request-${requestId}`;
}

const TONES: Partial<Record<ReviewFlag, 'warn' | 'danger' | 'info'>> = {
  used_before: 'danger',
  signature_altered: 'danger',
  document_failed: 'danger',
  document_missing: 'warn',
  duplicate: 'warn',
  expires_soon: 'warn',
  express: 'info',
  new_version: 'info',
  due_again: 'warn',
  offer_accepted: 'info',
  offer_declined: 'warn',
};

function toneOfFlag(flag: ReviewFlag): 'plain' | 'warn' | 'danger' | 'info' {
  return TONES[flag] ?? 'plain';
}
