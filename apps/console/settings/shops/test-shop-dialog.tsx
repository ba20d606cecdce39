import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../controls/field';
import { toasts } from '../../messages/toasts';
import { sessionQuery } from '../../session/session.calls';
import { FormDialog } from '../forms/form-dialog';
import { useSettingsTexts } from '../forms/settings-texts';
import { ownMistakes, useAct } from '../forms/use-act';
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
  return (
    <FormDialog
      title={texts.newTest}
      act={act}
      does={texts.save}
      isReady={given !== '' && host !== ''}
      mistakes={ownMistakes(act, { domain: texts.noTestDomain })}
      onSend={() => act.run()}
      onClose={onClose}
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
    </FormDialog>
  );
}
