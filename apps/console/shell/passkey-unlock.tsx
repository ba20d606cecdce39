import type { LockReason } from './lock';
import { PasskeyButton } from './passkey-button';
import { unlockByPasskey } from './passkeys.calls';
import { useSecondFactorTexts } from './second-factor-texts';
import type { Session } from './session.calls';

interface Props {
  session: Session;
  reason: LockReason;
  onSession: (session: Session) => void;
}

/** In place of the password. The passkey of another person leads to the start of that person. */
export default function PasskeyUnlock({ session, reason, onSession }: Props) {
  const texts = useSecondFactorTexts();
  return (
    <PasskeyButton
      label={texts.openByPasskey}
      ask={() => unlockByPasskey(session, reason)}
      onDone={(opened) => {
        if (opened.staff.id === session.staff.id) onSession(opened);
        else window.location.assign('/console/');
      }}
    />
  );
}
