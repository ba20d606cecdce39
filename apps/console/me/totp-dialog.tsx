import { useQueryClient } from '@tanstack/react-query';
import type { TotpResponse } from '@offizin/contracts/second-factor';
import { Dialog } from '../controls/dialog';
import { withConfirmation } from '../shell/confirmation';
import { useSecondFactorTexts } from '../shell/second-factor-texts';
import { toasts } from '../shell/toasts';
import { TotpForm } from '../shell/totp-form';
import { confirmTotp, secondFactorQuery } from './me.calls';

interface Props {
  made: TotpResponse;
  onClose: () => void;
}

/** The new app counts only after its first code, so closing the dialog changes nothing. */
export default function TotpDialog({ made, onClose }: Props) {
  const texts = useSecondFactorTexts();
  const queries = useQueryClient();
  return (
    <Dialog title={texts.setUpTitle} isOpen isAlert onClose={onClose}>
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
