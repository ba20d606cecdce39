import type { ReactNode } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { BackIcon } from '../../controls/icon';
import { useKeys } from '../../keyboard/keys';
import { TestChip } from '../../lists/test-chip';
import { Faces } from '../../live/faces';
import { initialsOf, readableName } from '../../text/customer-name';
import { useTexts } from '../../text/texts';
import { usePlanTexts } from './plan-texts';
import css from './requests.module.css';
import parts from './review.module.css';

/** Who looks after it; neither that nor a time keeps anybody from deciding. */
function PlanButton({ detail, onOpen }: { detail: ReviewDetail; onOpen: () => void }) {
  const { assigned } = useTexts().requests;
  const texts = usePlanTexts();
  const person = detail.plan.assigned_to;
  useKeys('page', [{ keys: 't', does: texts.plan, run: onOpen }]);
  return (
    <Button kind="quiet" shortcut="t" onPress={onOpen}>
      {person ? assigned.to(initialsOf(person.name)) : texts.plan}
    </Button>
  );
}

interface HeadProps {
  detail: ReviewDetail;
  onClose: () => void;
  /** Null for people who do not decide. */
  onPlan: (() => void) | null;
}

export function Head({ detail, onClose, onPlan }: HeadProps) {
  const texts = useTexts().requests;
  const reference = [detail.integration, detail.source, detail.external_reference]
    .map((part) => readableName(part))
    .filter((part) => part !== null)
    .join(' · ');
  const name = readableName(detail.customer_name) ?? texts.nameless;
  return (
    <header className={css.head}>
      <span className={css.back}>
        <Button kind="quiet" onPress={onClose} aria-label={texts.back}>
          <BackIcon />
        </Button>
      </span>
      <div className={css.names}>
        <h1 title={name}>{name}</h1>
        <div className={css.reference} title={reference}>
          {reference}
        </div>
      </div>
      <TestChip of={detail} />
      <Faces requestId={detail.id} />
      {onPlan && isUndecided(detail) && <PlanButton detail={detail} onOpen={onPlan} />}
    </header>
  );
}

export function isUndecided({ status }: Pick<ReviewDetail, 'status'>): boolean {
  return status === 'pending' || status === 'needs_clarification';
}

/** One titled part of the review. */
export function Section({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={parts.section}>
      <div className={parts.titleRow}>
        <h2 className={parts.title}>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
