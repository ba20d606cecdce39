import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ShopSettings } from '@offizin/contracts/orders/settings';
import { Button } from '../../controls/button';
import { Choice } from '../../controls/choice';
import { Field } from '../../controls/field';
import { FormDialog } from '../forms/form-dialog';
import { useSettingsTexts } from '../forms/settings-texts';
import { ownMistakes, useAct, useReload } from '../forms/use-act';
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
    <FormDialog
      title={texts.changeTitle(shop.name)}
      act={act}
      does={texts.save}
      isReady={draft.isReady && !act.isOvertaken}
      mistakes={ownMistakes(act, { domain: texts.noDomain })}
      further={act.isOvertaken && <Button onPress={reload}>{texts.reload}</Button>}
      onSend={() => act.run()}
      onClose={onClose}
    >
      <Field autoFocus label={texts.name} name="name" maxLength={255} value={name} onChange={draft.setName} />
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
    </FormDialog>
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
  const isReady = given !== '' && host !== '' && Object.keys(changes).length > 0;
  const isMoved = 'domain' in changes;
  return { name, setName, domain, setDomain, isActive, setActive, act, isReady, isMoved };
}
