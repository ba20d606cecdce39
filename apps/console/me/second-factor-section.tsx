import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { SecondFactorResponse, TotpResponse } from '@offizin/contracts/second-factor';
import { Button } from '../controls/button';
import { Failure } from '../settings/failure';
import { useAct } from '../settings/use-act';
import { Fault } from '../shell/fault';
import { useFormats } from '../text/texts';
import { useSecondFactorTexts } from '../shell/second-factor-texts';
import { beginTotp, secondFactorQuery } from './me.calls';
import css from './me.module.css';
import { Passkeys } from './passkeys-section';

/** Loaded with the first press that opens them. */
const TotpDialog = lazy(() => import('./totp-dialog'));
const RemoveTotpDialog = lazy(() => import('./remove-totp-dialog'));

/** What the person gives besides the password: codes of an app, or passkeys. */
export function SecondFactorSection() {
  const texts = useSecondFactorTexts();
  const { data, error, refetch } = useQuery(secondFactorQuery);
  return (
    <section className={css.section} aria-label={texts.title}>
      <h2 className={css.heading}>{texts.title}</h2>
      <p>{texts.what}</p>
      {error && !data ? <Fault error={error} onAgain={() => void refetch()} /> : null}
      {data?.is_required === true && <p>{texts.isRequired}</p>}
      {data && <App factor={data} />}
      <Passkeys />
    </section>
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
      <Failure act={act} />
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
