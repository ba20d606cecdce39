import { CheckIcon, DashIcon, QuestionIcon, TriangleIcon } from '../controls/icon';
import { useFormats, useTexts } from '../text/texts';
import { hintText } from './hint-text';
import type { Hint } from './hints';
import css from './review.module.css';

const ICONS = { good: CheckIcon, quiet: DashIcon, amber: QuestionIcon, red: TriangleIcon };

/** What the machine has compared. The pharmacist judges. */
export function Checks({ hints }: { hints: readonly Hint[] }) {
  const texts = useTexts();
  const formats = useFormats();
  return (
    <ul className={css.checks}>
      {hints.map((hint) => {
        const Icon = ICONS[hint.tone];
        return (
          <li key={hint.kind} className={css.check} data-tone={hint.tone}>
            <Icon />
            <span>{hintText(hint, texts, formats)}</span>
          </li>
        );
      })}
    </ul>
  );
}
