import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { PasskeyRow } from '@offizin/contracts/passkeys';
import { Button } from '../controls/button';
import { useSecondFactorTexts } from '../shell/second-factor-texts';
import { knowsPasskeys } from '../shell/webauthn';
import { useFormats } from '../text/texts';
import { passkeysQuery } from './me.calls';
import css from './me.module.css';

/** Loaded with the first press that opens them. */
const NewPasskeyDialog = lazy(() => import('./new-passkey-dialog'));
const RemovePasskeyDialog = lazy(() => import('./remove-passkey-dialog'));

type Passkey = PasskeyRow;

/** The own passkeys: beside the password, or alone. */
export function Passkeys() {
  const texts = useSecondFactorTexts();
  const { data } = useQuery(passkeysQuery);
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  if (!data) return null;
  return (
    <div className={css.factor}>
      <h3 className={css.heading}>{texts.passkeys}</h3>
      <p>{texts.passkeysWhat}</p>
      <ul className={css.sessions} aria-label={texts.passkeys}>
        {data.data.map((passkey) => (
          <Row key={passkey.id} passkey={passkey} onRemove={() => setLeaving(passkey)} />
        ))}
      </ul>
      {data.rp_id === null || !knowsPasskeys() ? (
        <p className={css.note}>{data.rp_id === null ? texts.needHostName : texts.noPasskeysHere}</p>
      ) : (
        <div>
          <Button onPress={() => setAdding(true)}>{texts.addPasskey}</Button>
        </div>
      )}
      <Suspense>
        {isAdding && <NewPasskeyDialog onClose={() => setAdding(false)} />}
        {leaving && <RemovePasskeyDialog passkey={leaving} onClose={() => setLeaving(null)} />}
      </Suspense>
    </div>
  );
}

function Row({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const texts = useSecondFactorTexts();
  const formats = useFormats();
  const { name, created_at: createdAt, last_used_at: usedAt } = passkey;
  const used = usedAt === null ? texts.passkeyUnused : texts.passkeyUsed(formats.age(usedAt));
  return (
    <li className={css.session}>
      <span title={formats.exact(usedAt ?? createdAt)}>{texts.passkeyRow(name, used)}</span>
      <Button aria-label={texts.removePasskeyNamed(name)} onPress={onRemove}>
        {texts.remove}
      </Button>
    </li>
  );
}
