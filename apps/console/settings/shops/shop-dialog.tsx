import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { ShopSettings } from '@offizin/contracts/orders/settings';
import { Button } from '../../controls/button';
import { Choice } from '../../controls/choice';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { ActButtons } from '../forms/act-buttons';
import css from '../forms/settings-form.module.css';
import { useSettingsTexts } from '../forms/settings-texts';
import { useAct, useReload } from '../forms/use-act';
import { sessionQuery } from '../../session/session.calls';
import { toasts } from '../../messages/toasts';
import { changeShop, shopQuery, shopsQuery } from './shops.calls';

const STATES = ['open', 'closed'] as const;

interface Props {
  shop: ShopSettings;
  onClose: () => void;
  /** A colleague was faster, and the person wants what counts now. */
  onNewer: (shop: ShopSettings) => void;
}

export default function ShopDialog({ shop, onClose, onNewer }: Props) {
  const { shops: texts } = useSettingsTexts();
  const draft = useShopDraft(shop, onClose);
  const { name, domain, isActive, act } = draft;
  const client = useQueryClient();
  const reload = useReload(() => client.query({ ...shopQuery(shop.shop_id), staleTime: 0 }), onNewer);
  return (
    <Dialog title={texts.changeTitle(shop.name)} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={draft.submit}
        validationErrors={act.mistakes['domain'] === undefined ? {} : { domain: texts.noDomain }}
        validationBehavior="aria"
      >
        <Field
          autoFocus
          label={texts.name}
          name="name"
          maxLength={255}
          value={name}
          onChange={draft.setName}
        />
        <Field
          label={texts.domain}
          hint={texts.domainHint}
          name="domain"
          maxLength={253}
          inputMode="url"
          autoComplete="off"
          value={domain}
          onChange={draft.setDomain}
        />
        {draft.isMoved && <p>{texts.moves(shop.domain)}</p>}
        <Choice
          label={texts.state}
          hint={texts.stateHints[isActive ? 'open' : 'closed']}
          values={STATES.map((value) => ({ value, name: texts.states[value] }))}
          selected={isActive ? 'open' : 'closed'}
          onSelect={(state) => draft.setActive(state === 'open')}
        />
        <ActButtons act={act} onClose={onClose}>
          {act.isOvertaken && <Button onPress={reload}>{texts.reload}</Button>}
          <Button
            kind="main"
            type="submit"
            isPending={act.isPending}
            isDisabled={!draft.isReady || act.isOvertaken}
          >
            {texts.save}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}

/** Sends only what was changed, on the settings that the person saw. */
function useShopDraft(shop: ShopSettings, onClose: () => void) {
  const { shops: texts } = useSettingsTexts();
  const client = useQueryClient();
  const [name, setName] = useState(shop.name);
  const [domain, setDomain] = useState(shop.domain);
  const [isActive, setActive] = useState(shop.is_active);
  const [given, host] = [name.trim(), domain.trim()];
  const changes = {
    ...(given !== shop.name && { name: given }),
    ...(host !== shop.domain && { domain: host }),
    ...(isActive !== shop.is_active && { is_active: isActive }),
  };
  const act = useAct({
    send: () => changeShop(shop, changes),
    queryKey: shopsQuery.queryKey,
    onDone: (saved) => {
      // It has the names of the shops that filters offer.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toasts.show({ text: texts.changed(saved.name) });
      onClose();
    },
    conflict: texts.taken(host),
    overtaken: texts.overtaken,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    act.run();
  };
  const isReady = given !== '' && host !== '' && Object.keys(changes).length > 0;
  const isMoved = 'domain' in changes;
  return { name, setName, domain, setDomain, isActive, setActive, act, submit, isReady, isMoved };
}
