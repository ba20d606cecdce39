import { useQuery } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Fault } from '../messages/fault';
import { useFormats, useTexts } from '../text/texts';
import { useAuditTexts } from './audit-texts';
import { type Verification, verifyLog } from './audit.calls';
import css from './verify-dialog.module.css';

/** Recomputes the seals of the log, and shows whether an entry was changed, removed or inserted. */
export default function VerifyDialog({ onClose }: { onClose: () => void }) {
  const shared = useTexts();
  const texts = useAuditTexts();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit', 'verify'],
    queryFn: () => verifyLog(),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  return (
    <Dialog title={texts.verifyTitle} onClose={onClose}>
      <div role="status" className={css.result}>
        {isFetching && <p>{texts.verifying}</p>}
        {data && !isFetching && <Result found={data} />}
      </div>
      {error && !isFetching && <Fault error={error} onAgain={() => void refetch()} />}
      <DialogButtons>
        <Button kind="main" autoFocus onPress={onClose}>
          {shared.shell.close}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Result({ found }: { found: Verification }) {
  const texts = useAuditTexts();
  const formats = useFormats();
  const { status, checked, unsealed, seal, first_broken_position: brokenAt = 0 } = found;
  return (
    <>
      <p className={status === 'ok' ? undefined : css.broken}>
        {status === 'ok'
          ? texts.whole(checked, formats.number(checked))
          : texts.broken(formats.number(brokenAt))}
      </p>
      {unsealed > 0 && <p>{texts.unsealed(unsealed, formats.number(unsealed))}</p>}
      {seal !== null && (
        <>
          <p>{texts.sealHint}</p>
          <code className={css.seal}>{`${found.checked_to} ${seal}`}</code>
        </>
      )}
    </>
  );
}
