import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Form } from 'react-aria-components';
import type { SignOnSettings } from '@offizin/contracts/people/sign-on';
import { Button } from '../../controls/button';
import { Field } from '../../controls/field';
import { CopyField } from '../forms/copy-field';
import { Failure } from '../../controls/failure';
import { LeaveGuard } from '../forms/leave-guard';
import css from '../forms/settings-form.module.css';
import { NotLoaded, SettingsPage, SettingsSection } from '../forms/settings-page';
import { ownMistakes } from '../forms/use-act';
import { useSignOnTexts } from '../../signing-in/sign-on-texts';
import { useFormats } from '../../text/texts';
import { signOnQuery } from './sign-on.calls';
import { useSignOnForm } from './use-sign-on-form';

const RemoveDialog = lazy(() => import('./remove-dialog'));

/** The provider at which the organization's people sign in. */
export default function SignOnPage() {
  const texts = useSignOnTexts();
  const query = useQuery(signOnQuery);
  const { data } = query;
  return (
    <SettingsPage title={texts.title} about={texts.what}>
      <p>{texts.who}</p>
      <NotLoaded query={query} />
      {data && (
        <>
          <SettingsSection title={texts.forProvider}>
            <CopyField label={texts.redirect} value={data.redirect_uri} isLabelShown />
            <CopyField label={texts.link} value={data.sign_in_url} isLabelShown />
          </SettingsSection>
          <Provider settings={data} />
        </>
      )}
    </SettingsPage>
  );
}

function Provider({ settings }: { settings: SignOnSettings }) {
  const texts = useSignOnTexts();
  const formats = useFormats();
  const form = useSignOnForm(settings);
  const { act } = form;
  const [isAsking, setAsking] = useState(false);
  return (
    <SettingsSection title={texts.provider}>
      {settings.by !== null && settings.at !== null && (
        <p>{texts.changed(settings.by, formats.dateTime(settings.at))}</p>
      )}
      <Fields form={form} />
      {settings.issuer !== null && (
        <div className={css.acts}>
          <Button kind="danger" isDisabled={act.isPending} onPress={() => setAsking(true)}>
            {texts.remove}
          </Button>
        </div>
      )}
      {isAsking && (
        <Suspense>
          <RemoveDialog onGone={form.reload} onClose={() => setAsking(false)} />
        </Suspense>
      )}
      <LeaveGuard isDirty={form.isDirty} />
    </SettingsSection>
  );
}

function Fields({ form }: { form: ReturnType<typeof useSignOnForm> }) {
  const texts = useSignOnTexts();
  const { draft, change, act } = form;
  const errors = ownMistakes(act, {
    issuer: texts.issuerRefused(act.mistakes['issuer'] ?? ''),
    client_id: texts.noClientId,
    client_secret: texts.needsSecret,
  });
  return (
    <Form
      className={css.form ?? ''}
      onSubmit={form.submit}
      validationErrors={errors}
      validationBehavior="aria"
    >
      <Field
        label={texts.issuer}
        hint={texts.issuerHint}
        name="issuer"
        inputMode="url"
        autoComplete="off"
        maxLength={255}
        value={draft.issuer}
        onChange={(issuer) => change({ issuer })}
      />
      <Field
        label={texts.clientId}
        name="client_id"
        autoComplete="off"
        maxLength={255}
        value={draft.clientId}
        onChange={(clientId) => change({ clientId })}
      />
      <Field
        label={texts.secret}
        hint={form.hasSecret ? texts.secretStored : texts.secretHint}
        name="client_secret"
        type="password"
        autoComplete="new-password"
        maxLength={1_000}
        value={draft.secret}
        onChange={(secret) => change({ secret })}
      />
      {Object.keys(errors).length === 0 && <Failure why={act.failure} />}
      {act.isConflict && <Button onPress={form.reload}>{texts.reload}</Button>}
      <div className={css.acts}>
        <Button kind="main" type="submit" isPending={act.isPending} isDisabled={!form.canSave}>
          {texts.save}
        </Button>
      </div>
    </Form>
  );
}
