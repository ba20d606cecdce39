import type { ReviewDetail } from '@offizin/contracts/review';
import { useFormats, useTexts } from '../text/texts';
import { compareVersions } from './version-diff';
import styles from './review.module.css';

/** The question that was asked, and what the partner has changed since. */
export function Versions({ detail: { versions } }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  const formats = useFormats();
  const [before, present] = versions.slice(-2);
  if (!before || !present) return null;
  const changes = compareVersions(before.payload, present.payload);
  return (
    <>
      {before.question !== null && <p className={styles.quiet}>{texts.asked(before.question)}</p>}
      <p className={styles.quiet}>{texts.answered(formats.dateTime(present.created_at))}</p>
      {changes.length === 0 && <p>{texts.nothingChanged}</p>}
      <dl className={styles.changes}>
        {changes.map(({ field, from, to }) => (
          <div key={field}>
            <dt>{texts.field[field] ?? field}</dt>
            <dd>
              {from !== '' && <del>{from}</del>} {to !== '' && <ins>{to}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
