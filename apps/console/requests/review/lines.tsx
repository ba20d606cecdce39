import type { Ref } from 'react';
import type { ReviewDetail, ReviewLine } from '@offizin/contracts/requests/review';
import { Chip } from '../../controls/chip';
import figureCss from '../../controls/figure.module.css';
import { readableOf } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { inCents } from '../../text/typed-money';
import { usePlanTexts } from './plan-texts';
import styles from './review.module.css';

interface Props {
  detail: ReviewDetail;
  /** Of the row after the last line. */
  endRef: Ref<HTMLDivElement>;
}

/** The lines with stock and price, and the total with what the lines do not explain. */
export function Lines({ detail, endRef }: Props) {
  const texts = useTexts().requests;
  const { unexplained } = usePlanTexts();
  const formats = useFormats();
  const sum = detail.lines.reduce((cents, { quantity, price }) => cents + quantity * inCents(price), 0);
  const rest = inCents(detail.total_amount) - sum;
  return (
    <div className={styles.lines}>
      {detail.lines.length === 0 && <p className={styles.quiet}>{texts.noLines}</p>}
      {detail.lines.map((line, index) => (
        <Line key={index} line={line} isChecked={detail.lines_checked} />
      ))}
      <div ref={endRef} className={styles.lineGrid}>
        <span />
        <span>
          {texts.total}
          {rest !== 0 && (
            <span className={styles.quiet}>
              {' · '}
              {unexplained(formats.money(sum / 100), formats.money(Math.abs(rest) / 100), rest > 0)}
            </span>
          )}
        </span>
        <span />
        <strong className={figureCss.figure}>{formats.money(detail.total_amount)}</strong>
      </div>
    </div>
  );
}

function Line({ line, isChecked }: { line: ReviewLine; isChecked: boolean }) {
  const texts = useTexts().requests;
  const formats = useFormats();
  const [name, sent] = [readableOf(line.product_name, line.name, line.p1_id), readableOf(line.name)];
  const isShort = line.available !== null && line.available < line.quantity;
  const isOtherPrice = line.catalog_price !== null && inCents(line.catalog_price) !== inCents(line.price);
  const strength = [line.thc !== null && `THC ${line.thc}`, line.cbd !== null && `CBD ${line.cbd}`];
  const strengthText = strength.filter(Boolean).join(' · ');
  return (
    <div className={`${styles.lineGrid} ${styles.lineRow}`}>
      <span className={`${styles.quantity} ${figureCss.figure}`}>
        {formats.number(line.quantity)} <small>×</small>
      </span>
      <span>
        <strong>{name || texts.namelessLine}</strong>
        {sent !== '' && sent !== name && <div className={styles.quiet}>{texts.sentAs(sent)}</div>}
        <span className={styles.chips}>
          {strengthText !== '' && <Chip>{strengthText}</Chip>}
          {isShort && <Chip tone="danger">{texts.available(line.available ?? 0)}</Chip>}
          {!isShort && line.available !== null && (
            <span className={styles.quiet}>{texts.available(line.available)}</span>
          )}
          {line.p1_id !== null && <span className={styles.quiet}>{line.p1_id}</span>}
          {isChecked && !line.in_inventory && <Chip tone="warn">{texts.notInInventory}</Chip>}
          {isOtherPrice && (
            <Chip tone="warn">{texts.catalogPrice(formats.money(line.catalog_price ?? 0))}</Chip>
          )}
        </span>
      </span>
      <span className={`${figureCss.figure} ${styles.quiet}`}>{formats.money(line.price)}</span>
      <strong className={figureCss.figure}>
        {formats.money((line.quantity * inCents(line.price)) / 100)}
      </strong>
    </div>
  );
}
