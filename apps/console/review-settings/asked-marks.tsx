import { Check } from '../controls/check';
import { MARK_NAMES } from '../requests/open-marks';
import { SettingsSection } from '../settings/settings-page';
import { useSettingsTexts } from '../settings/settings-texts';
import { useTexts } from '../text/texts';
import type { SettingsForm } from './use-settings-form';

/** Which marks are asked, and when. */
export function AskedMarks({ draft, change }: Pick<SettingsForm, 'draft' | 'change'>) {
  const { requests } = useTexts();
  const { review: texts } = useSettingsTexts();
  return (
    <SettingsSection title={texts.marks}>
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
        label={texts.onlyForThc}
        isChecked={draft.onlyForThc}
        onToggle={() => {
          change({ onlyForThc: !draft.onlyForThc });
        }}
      />
    </SettingsSection>
  );
}
