import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { SignOnSettings } from '@offizin/contracts/people/sign-on';
import { useAct, useReload } from '../forms/use-act';
import { useSignOnTexts } from '../../signing-in/sign-on-texts';
import { toasts } from '../../messages/toasts';
import { saveSignOn, signOnQuery } from './sign-on.calls';

/** The values of the fields. The server never sends the secret: it is the typed one. */
interface Draft {
  issuer: string;
  clientId: string;
  secret: string;
}

/** News of the settings replace the fields only while nothing in them has been changed. */
export function useSignOnForm(settings: SignOnSettings) {
  const texts = useSignOnTexts();
  const client = useQueryClient();
  const query = signOnQuery;
  const [base, setBase] = useState(settings);
  const [draft, setDraft] = useState(() => draftOf(settings));
  const isDirty = JSON.stringify(draft) !== JSON.stringify(draftOf(base));
  const take = (taken: SignOnSettings) => {
    setBase(taken);
    setDraft(draftOf(taken));
  };
  if (settings.version !== base.version && !isDirty) take(settings);
  const act = useAct({
    send: () => {
      const { issuer, clientId, secret } = draft;
      const given = secret === '' ? {} : { client_secret: secret };
      const { version } = base;
      return saveSignOn({ issuer: issuer.trim(), client_id: clientId.trim(), ...given, version });
    },
    queryKey: query.queryKey,
    onDone: (saved) => {
      client.setQueryData(query.queryKey, saved);
      take(saved);
      toasts.show({ text: texts.saved });
    },
    conflict: texts.conflict,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    act.run();
  };
  const reload = useReload(() => client.query({ ...query, staleTime: 0 }), take);
  const change = (changed: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changed }));
  };
  const hasSecret = base.issuer !== null && draft.issuer.trim() === base.issuer;
  const isReady =
    draft.issuer.trim() !== '' && draft.clientId.trim() !== '' && (hasSecret || draft.secret !== '');
  return { draft, change, submit, reload, act, isDirty, hasSecret, canSave: isDirty && isReady };
}

function draftOf({ issuer, client_id: clientId }: SignOnSettings): Draft {
  return { issuer: issuer ?? '', clientId: clientId ?? '', secret: '' };
}
