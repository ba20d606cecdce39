import { useQuery } from '@tanstack/react-query';
import { Form } from 'react-aria-components';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { Button } from '../../controls/button';
import { Check } from '../../controls/check';
import { Choice } from '../../controls/choice';
import { Field } from '../../controls/field';
import { PageHead } from '../../controls/page-head';
import { MARK_NAMES } from '../../requests/review/open-marks';
import { reviewSettings } from '../../requests/review/review-settings';
import { LeaveGuard } from '../forms/leave-guard';
import { SettingsSection } from '../forms/settings-page';
import { useSettingsTexts } from '../forms/settings-texts';
import { Fault } from '../../messages/fault';
import { useSession } from '../../session/session.calls';
import { useFormats, useTexts } from '../../text/texts';
import css from './review-settings.module.css';
import { TemplateList } from './template-list';
import { type SettingsForm, useSettingsForm } from './use-settings-form';

/** How the organization reviews. Owners change it, pharmacists read it. */
export default function ReviewSettingsPage() {
  const { data, error, refetch } = useQuery(reviewSettings);
  if (data) return <Settings settings={data} />;
  return error && <Fault error={error} onAgain={() => void refetch()} />;
}

function Settings({ settings }: { settings: ReviewSettings }) {
  const { review: texts } = useSettingsTexts();
  const { save } = useTexts().deciding;
  const formats = useFormats();
  const { scopes } = useSession();
  const canChange = scopes.includes('review.settings');
  const form = useSettingsForm(settings);
  return (
    // With every field disabled, the page itself must take the focus to be scrolled by keyboard.
    <div className={css.page} role="region" aria-label={texts.title} tabIndex={canChange ? undefined : 0}>
      <PageHead title={texts.title} about={texts.about} />
      {!canChange && <p>{texts.readOnly}</p>}
      {settings.by !== null && settings.at !== null && (
        <p className={css.quiet}>{texts.changed(settings.by, formats.dateTime(settings.at))}</p>
      )}
      <Form onSubmit={form.submit} validationErrors={form.errors} validationBehavior="aria">
        <fieldset className={css.fields} disabled={!canChange}>
          <AskedMarks draft={form.draft} change={form.change} />
          <FourEyes draft={form.draft} change={form.change} isDisabled={!canChange} />
          <Validity form={form} />
          <TemplateList
            templates={form.draft.templates}
            onChange={(templates) => form.change({ templates })}
          />
          {form.failure !== null && <p role="alert">{form.failure}</p>}
          {form.isConflict && <Button onPress={form.reload}>{texts.reload}</Button>}
          {canChange && (
            <div>
              <Button kind="main" type="submit" isPending={form.isPending} isDisabled={!form.isDirty}>
                {save}
              </Button>
            </div>
          )}
        </fieldset>
      </Form>
      <LeaveGuard isDirty={form.isDirty} />
    </div>
  );
}

function Validity({ form: { draft, change } }: { form: SettingsForm }) {
  const { review: texts } = useSettingsTexts();
  return (
    <SettingsSection title={texts.validity}>
      <Field
        label={texts.amberDays}
        name="amber_days"
        inputMode="numeric"
        maxLength={4}
        value={draft.amberDays}
        onChange={(amberDays) => change({ amberDays })}
      />
      <Field
        label={texts.redDays}
        name="red_days"
        inputMode="numeric"
        maxLength={4}
        value={draft.redDays}
        onChange={(redDays) => change({ redDays })}
      />
    </SettingsSection>
  );
}

const RULES = ['off', 'controlled', 'all'] as const;

interface Props extends Pick<SettingsForm, 'draft' | 'change'> {
  isDisabled: boolean;
}

/** Which requests two people approve. */
function FourEyes({ draft, change, isDisabled }: Props) {
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

/** Which marks are asked, and when. */
function AskedMarks({ draft, change }: Pick<SettingsForm, 'draft' | 'change'>) {
  const { requests } = useTexts();
  const { review: texts } = useSettingsTexts();
  return (
    <SettingsSection title={texts.marks}>
      <div className={css.marks}>
        {MARK_NAMES.map((name) => (
          <Check
            key={name}
            label={requests.mark[name]}
            isChecked={draft.marks.includes(name)}
            onToggle={() => {
              change({
                marks: MARK_NAMES.filter((other) => (other === name) !== draft.marks.includes(other)),
              });
            }}
          />
        ))}
      </div>
      <div className={css.when}>
        <Check
          label={texts.onlyForThc}
          isChecked={draft.onlyForThc}
          onToggle={() => {
            change({ onlyForThc: !draft.onlyForThc });
          }}
        />
      </div>
    </SettingsSection>
  );
}
