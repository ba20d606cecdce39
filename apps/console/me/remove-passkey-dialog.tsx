import type { PasskeyRow } from '@offizin/contracts/passkeys';
import { AskDialog } from '../settings/ask-dialog';
import { useAct } from '../settings/use-act';
import { useSecondFactorTexts } from '../shell/second-factor-texts';
import { toasts } from '../shell/toasts';
import { passkeysQuery, removePasskey } from './me.calls';

interface Props {
  passkey: PasskeyRow;
  onClose: () => void;
}

export default function RemovePasskeyDialog({ passkey, onClose }: Props) {
  const texts = useSecondFactorTexts();
  const act = useAct({
    send: () => removePasskey(passkey.id),
    queryKey: passkeysQuery.queryKey,
    onDone: () => {
      toasts.show({ text: texts.passkeyRemoved(passkey.name) });
      onClose();
    },
    conflict: texts.lastOne,
  });
  const { removePasskeyText: text, remove: does } = texts;
  return (
    <AskDialog
      title={texts.removePasskeyTitle(passkey.name)}
      text={text}
      does={does}
      act={act}
      onClose={onClose}
    />
  );
}
