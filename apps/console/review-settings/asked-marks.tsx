import { Check } from '../controls/check';
import { MARK_NAMES } from '../requests/open-marks';
import { useTexts } from '../text/texts';
import css from './review-settings.module.css';
import type { SettingsForm } from './use-settings-form';

/** Which marks are asked, and when. */
export function AskedMarks({ draft, change }: Pick<SettingsForm, 'draft' | 'change'>) {
  const { requests, deciding } = useTexts();
  return (
    <section className={css.section} aria-label={deciding.settings.marks}>
      <h2 className={css.heading}>{deciding.settings.marks}</h2>
      {MARK_NAMES.map((name) => (
        <Check
          key={name}
          label={requests.mark[name]}
          isChecked={draft.marks.includes(name)}
          onToggle={() => {
            change({ marks: MARK_NAMES.filter((other) => (other === name) !== draft.marks.includes(other)) });
          }}
        />
      ))}
      <Check
        label={deciding.settings.onlyForThc}
        isChecked={draft.onlyForThc}
        onToggle={() => {
          change({ onlyForThc: !draft.onlyForThc });
        }}
      />
    </section>
  );
}
