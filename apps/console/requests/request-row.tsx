import { memo } from 'react';
import type { ReviewRow } from '@offizin/contracts/review';
import { Chip } from '../controls/chip';
import { Faces } from '../live/faces';
import { initialsOf } from '../shell/rail';
import { useFormats, useTexts } from '../text/texts';
import { readableName } from '../text/customer-name';
import { toneOfFlag } from './flags';
import styles from './request-list.module.css';

interface Props {
  row: ReviewRow;
  isSelected: boolean;
  position: number;
  total: number;
  top: number;
  onOpen: (id: string) => void;
}

/**
 * One request in the list. Its height is fixed, so that the list knows every position without measuring. With another
 * selection only two rows are drawn anew.
 */
export const RequestRow = memo(function RequestRow({ row, isSelected, position, total, top, onOpen }: Props) {
  const texts = useTexts();
  const formats = useFormats();
  return (
    // The list box owns focus and keys; a row only takes the pointer.
    <div
      id={rowId(row.id)}
      role="option"
      aria-selected={isSelected}
      aria-posinset={position}
      aria-setsize={total}
      className={isSelected ? `${styles.row} ${styles.selected}` : styles.row}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onOpen(row.id)}
    >
      <div className={styles.line}>
        <span className={styles.name} dir="auto" title={row.customer_name ?? undefined}>
          {readableName(row.customer_name) ?? texts.requests.nameless}
        </span>
        <time className={styles.age} dateTime={row.created_at} title={formats.exact(row.created_at)}>
          {formats.age(row.created_at)}
        </time>
      </div>
      <div className={styles.line}>
        <span className={styles.items} title={row.lines_text}>
          {row.lines_text === '' ? texts.requests.noLines : row.lines_text}
        </span>
        <span className={styles.total}>{formats.money(row.total_amount)}</span>
      </div>
      <div className={styles.line}>
        <span className={styles.source} title={row.source}>
          {row.source}
        </span>
        <span className={styles.chips}>
          <Faces requestId={row.id} />
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

export function rowId(requestId: string): string {
  return `request-${requestId}`;
}
