import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { toasts } from '../../messages/toasts';
import { sessionQuery } from '../../session/session.calls';
import { ActButtons } from '../forms/act-buttons';
import css from '../forms/settings-form.module.css';
import { useSettingsTexts } from '../forms/settings-texts';
import { useAct } from '../forms/use-act';
import { createTestShop, shopsQuery } from './shops.calls';

/** The operator of the platform creates every other shop. */
export default function TestShopDialog({ onClose }: { onClose: () => void }) {
  const { shops: texts } = useSettingsTexts();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [domain, setDomain] = useState('');
  const [given, host] = [name.trim(), domain.trim()];
  const act = useAct({
    send: () => createTestShop({ name: given, domain: host }),
    queryKey: shopsQuery.queryKey,
    onDone: () => {
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toasts.show({ text: texts.created(given) });
      onClose();
    },
    conflict: texts.taken(host),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    act.run();
  };
  return (
    <Dialog title={texts.newTest} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={submit}
        validationErrors={act.mistakes['domain'] === undefined ? {} : { domain: texts.noTestDomain }}
        validationBehavior="aria"
      >
        <p>{texts.testHint}</p>
        <Field autoFocus label={texts.name} name="name" maxLength={255} value={name} onChange={setName} />
        <Field
          label={texts.domain}
          hint={texts.testDomainHint}
          name="domain"
          maxLength={253}
          inputMode="url"
          autoComplete="off"
          value={domain}
          onChange={setDomain}
        />
        <ActButtons act={act} onClose={onClose}>
          <Button
            kind="main"
            type="submit"
            isPending={act.isPending}
            isDisabled={given === '' || host === ''}
          >
            {texts.save}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
