import { PasskeyButton } from './passkey-button';
import { confirmByPasskey } from './passkeys.calls';
import { useSecondFactorTexts } from './second-factor-texts';

/** In place of the password. */
export default function PasskeyConfirm({ onDone }: { onDone: () => void }) {
  const texts = useSecondFactorTexts();
  return <PasskeyButton label={texts.confirmByPasskey} ask={confirmByPasskey} onDone={onDone} />;
}
