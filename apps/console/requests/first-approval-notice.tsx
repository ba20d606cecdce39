import type { ReviewDetail } from '@offizin/contracts/review';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import { waitingFirst } from './first-approval';
import { MARK_NAMES } from './open-marks';
import styles from './review.module.css';

/** Who approved first, when, and against what. */
export function FirstApprovalNotice({ detail }: { detail: ReviewDetail }) {
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const first = detail.first_approval;
  if (first === null) return null;
  const { by, at, override, marks } = first;
  const isOwn = first.staff_id === staff.id;
  const isWaiting = waitingFirst(detail) !== null;
  const seen = MARK_NAMES.filter((name) => marks[name]).map((name) => texts.mark[name]);
  return (
    <div className={styles.notice}>
      <strong>{isWaiting ? texts.secondLook.waits : texts.secondLook.first}</strong>{' '}
      {texts.secondLook.by(by, formats.dateTime(at))} {isWaiting && texts.secondLook[isOwn ? 'own' : 'yours']}
      {seen.length > 0 && <div>{texts.secondLook.marked(seen.join(', '))}</div>}
      {override !== null && (
        <div>{texts.secondLook.overridden(override.acknowledged.join(' · '), override.reason ?? '')}</div>
      )}
    </div>
  );
}
