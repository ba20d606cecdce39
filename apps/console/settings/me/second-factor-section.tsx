import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { PasskeyRow } from '@offizin/contracts/people/passkeys';
import type { SecondFactorResponse, TotpResponse } from '@offizin/contracts/people/second-factor';
import { Button } from '../../controls/button';
import { Failure } from '../../controls/failure';
import { SettingsSection } from '../forms/settings-page';
import { useAct } from '../forms/use-act';
import { Fault } from '../../messages/fault';
import { useSecondFactorTexts } from '../../signing-in/second-factor-texts';
import { knowsPasskeys } from '../../signing-in/webauthn';
import { useFormats } from '../../text/texts';
import { beginTotp, passkeysQuery, secondFactorQuery } from './me.calls';
import css from './me.module.css';

/** Loaded with the first press that opens them. */
const TotpDialog = lazy(async () => ({ default: (await import('./totp-dialogs')).TotpDialog }));
const RemoveTotpDialog = lazy(async () => ({ default: (await import('./totp-dialogs')).RemoveTotpDialog }));

/** What the person gives besides the password: codes of an app, or passkeys. */
export function SecondFactorSection() {
  const texts = useSecondFactorTexts();
  const { data, error, refetch } = useQuery(secondFactorQuery);
  return (
    <SettingsSection title={texts.title}>
      <p>{texts.what}</p>
      {error && !data ? <Fault error={error} onAgain={() => void refetch()} /> : null}
      {data?.is_required === true && <p>{texts.isRequired}</p>}
      {data && <App factor={data} />}
      <Passkeys />
    </SettingsSection>
  );
}

function App({ factor }: { factor: SecondFactorResponse }) {
  const texts = useSecondFactorTexts();
  const formats = useFormats();
  const { totp_since: since, recovery_codes_left: left } = factor;
  return (
    <div className={css.factor}>
      <h3 className={css.heading}>{texts.app}</h3>
      {since === null ? (
        <>
          <p>{texts.appWhat}</p>
          <SetUp does={texts.setUp} />
        </>
      ) : (
        <>
          <p title={formats.exact(since)}>{texts.appSince(formats.date(since))}</p>
          <p>{texts.codesLeft(left)}</p>
          <p className={css.note}>{texts.codesHint}</p>
          <SetUp does={texts.move} />
          <Remove />
        </>
      )}
    </div>
  );
}

function SetUp({ does }: { does: string }) {
  const [made, setMade] = useState<TotpResponse | null>(null);
  const { queryKey } = secondFactorQuery;
  const act = useAct({ send: beginTotp, queryKey, onDone: setMade });
  return (
    <>
      <div>
        <Button isPending={act.isPending} onPress={() => act.run()}>
          {does}
        </Button>
      </div>
      <Failure why={act.failure} />
      <Suspense>{made && <TotpDialog made={made} onClose={() => setMade(null)} />}</Suspense>
    </>
  );
}

function Remove() {
  const texts = useSecondFactorTexts();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div>
        <Button onPress={() => setAsking(true)}>{texts.remove}</Button>
      </div>
      <Suspense>{isAsking && <RemoveTotpDialog onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}

/** Loaded with the first press that opens them. */
const NewPasskeyDialog = lazy(async () => ({
  default: (await import('./passkey-dialogs')).NewPasskeyDialog,
}));
const RemovePasskeyDialog = lazy(async () => ({
  default: (await import('./passkey-dialogs')).RemovePasskeyDialog,
}));

type Passkey = PasskeyRow;

/** The own passkeys: beside the password, or alone. */
function Passkeys() {
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
