import { Suspense, useState } from 'react';
import { CheckIcon, DashIcon, QuestionIcon, TriangleIcon } from '../../controls/icon';
import { lazyTexts, useFormats } from '../../text/texts';
import { type Hint, hintText } from '../hints/hints';
import { usePlanTexts } from './plan-texts';
import css from './review.module.css';

const ICONS = { good: CheckIcon, quiet: DashIcon, amber: QuestionIcon, red: TriangleIcon };

/** What the machine has compared. The pharmacist judges. A hint opens what it means and what to do. */
export function Checks({ hints }: { hints: readonly Hint[] }) {
  return (
    <ul className={css.checks}>
      {hints.map((hint) => (
        <Check key={hint.kind} hint={hint} />
      ))}
    </ul>
  );
}

function Check({ hint }: { hint: Hint }) {
  const { hints } = usePlanTexts();
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const Icon = ICONS[hint.tone];
  return (
    <li className={css.check} data-tone={hint.tone}>
      <Icon />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{hintText(hint, hints, formats)}</summary>
        <Suspense>{isOpen && <Help kind={hint.kind} />}</Suspense>
      </details>
    </li>
  );
}

function Help({ kind }: Pick<Hint, 'kind'>) {
  return <p>{useHelp()[kind]}</p>;
}

/** Loaded when it is asked for. */
const useHelp = lazyTexts({
  de: async () => (await import('../hints/help.de')).help,
  en: async () => (await import('../hints/help.en')).help,
});
