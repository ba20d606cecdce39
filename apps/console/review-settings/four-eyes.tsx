import { Choice } from '../controls/choice';
import { Field } from '../controls/field';
import { SettingsSection } from '../settings/settings-page';
import { useSettingsTexts } from '../settings/settings-texts';
import type { SettingsForm } from './use-settings-form';

const RULES = ['off', 'controlled', 'all'] as const;

interface Props extends Pick<SettingsForm, 'draft' | 'change'> {
  isDisabled: boolean;
}

/** Which requests two people approve. */
export function FourEyes({ draft, change, isDisabled }: Props) {
  const { review: texts } = useSettingsTexts();
  return (
    <SettingsSection title={texts.fourEyes}>
      <Choice
        label={texts.fourEyesWho}
        hint={texts.fourEyesHint}
        values={RULES.map((value) => ({ value, name: texts.fourEyesOf[value] }))}
        selected={draft.fourEyes}
        isDisabled={isDisabled}
        onSelect={(fourEyes) => {
          change({ fourEyes });
        }}
      />
      {draft.fourEyes === 'controlled' && (
        <Field
          label={texts.categories}
          hint={texts.categoriesHint}
          name="four_eyes_categories"
          maxLength={1_000}
          value={draft.categories}
          onChange={(categories) => {
            change({ categories });
          }}
        />
      )}
    </SettingsSection>
  );
}
