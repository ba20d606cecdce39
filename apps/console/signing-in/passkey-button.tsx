import { useMutation } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Failure } from '../controls/failure';
import { useTexts } from '../text/texts';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';
import type { LockReason } from '../session/lock';
import { confirmByPasskey, signInByPasskey, unlockByPasskey } from './second-factor.calls';
import { useSecondFactorTexts } from './second-factor-texts';
import type { Session } from '../session/session.calls';
import { knowsPasskeys, NoPasskeyError } from './webauthn';

interface Props<Reply> {
  label: string;
  ask: () => Promise<Reply>;
  onDone: (reply: Reply) => void;
  /** The sign-in that it belongs to is over. */
  onGone?: () => void;
}

/** Nothing where the browser has no passkeys for this address. */
export function PasskeyButton<Reply>({ label, ask, onDone, onGone }: Props<Reply>) {
  const shared = useTexts();
  const texts = useSecondFactorTexts();
  const { mutate, error, isPending } = useMutation({
    mutationFn: ask,
    onSuccess: onDone,
    onError: (refusal) => {
      if (refusal instanceof ApiError && refusal.status === 404) onGone?.();
    },
  });
  if (!knowsPasskeys()) return null;
  const whyNot = (refusal: Error): string => {
    if (refusal instanceof NoPasskeyError) return texts.noPasskey;
    const isRefused = refusal instanceof ApiError && refusal.status === 401;
    return isRefused ? texts.passkeyRefused : sentenceOf(refusal, shared);
  };
  return (
    <>
      <Failure why={error && whyNot(error)} isFramed />
      <Button isPending={isPending} onPress={() => mutate()}>
        {label}
      </Button>
    </>
  );
}

/** In place of e-mail, password and code. */
export function PasskeySignIn({ onSession }: { onSession: (session: Session) => void }) {
  const texts = useSecondFactorTexts();
  return <PasskeyButton label={texts.signInByPasskey} ask={() => signInByPasskey()} onDone={onSession} />;
}

/** In place of the password. */
export function PasskeyConfirm({ onDone }: { onDone: () => void }) {
  const texts = useSecondFactorTexts();
  return <PasskeyButton label={texts.confirmByPasskey} ask={confirmByPasskey} onDone={onDone} />;
}

interface PasskeyUnlockProps {
  session: Session;
  reason: LockReason;
  onSession: (session: Session) => void;
}

/** In place of the password. The passkey of another person leads to the start of that person. */
export function PasskeyUnlock({ session, reason, onSession }: PasskeyUnlockProps) {
  const texts = useSecondFactorTexts();
  return (
    <PasskeyButton
      label={texts.openByPasskey}
      ask={() => unlockByPasskey(session, reason)}
      onDone={onSession}
    />
  );
}
