import { useQueryClient } from '@tanstack/react-query';
import type { TotpResponse } from '@offizin/contracts/people/second-factor';
import { Dialog } from '../../controls/dialog';
import { AskDialog } from '../forms/ask-dialog';
import { withConfirmation } from '../../session/confirmation';
import { useSecondFactorTexts } from '../../signing-in/second-factor-texts';
import { toasts } from '../../messages/toasts';
import { TotpForm } from '../../signing-in/totp-form';
import { confirmTotp, removeTotp, secondFactorQuery } from './me.calls';

interface Props {
  made: TotpResponse;
  onClose: () => void;
}

/** The new app counts only after its first code, so closing the dialog changes nothing. */
export function TotpDialog({ made, onClose }: Props) {
  const texts = useSecondFactorTexts();
  const queries = useQueryClient();
  return (
    <Dialog title={texts.setUpTitle} isAlert onClose={onClose}>
      <TotpForm
        made={made}
        send={(code) => withConfirmation(() => confirmTotp(code))}
        onDone={() => {
          onClose();
          toasts.show({ text: texts.done });
          void queries.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
        }}
      />
    </Dialog>
  );
}

export function RemoveTotpDialog({ onClose }: { onClose: () => void }) {
  const texts = useSecondFactorTexts();
  return (
    <AskDialog
      title={texts.removeTitle}
      text={texts.removeText}
      does={texts.remove}
      send={removeTotp}
      queryKey={secondFactorQuery.queryKey}
      said={texts.removed}
      conflict={texts.lastOne}
      onClose={onClose}
    />
  );
}
