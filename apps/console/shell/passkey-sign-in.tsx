import { PasskeyButton } from './passkey-button';
import { signInByPasskey } from './passkeys.calls';
import { useSecondFactorTexts } from './second-factor-texts';
import type { Session } from './session.calls';

/** In place of e-mail, password and code. */
export default function PasskeySignIn({ onSession }: { onSession: (session: Session) => void }) {
  const texts = useSecondFactorTexts();
  return <PasskeyButton label={texts.signInByPasskey} ask={() => signInByPasskey()} onDone={onSession} />;
}
