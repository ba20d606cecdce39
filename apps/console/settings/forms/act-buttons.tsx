import type { ReactNode } from 'react';
import { Button } from '../../controls/button';
import { DialogButtons } from '../../controls/dialog';
import { Failure } from '../../controls/failure';
import { useTexts } from '../../text/texts';
import type { Act } from './use-act';

interface Props {
  act: Pick<Act<never>, 'failure' | 'isPending'>;
  onClose: () => void;
  /** The button of the act. */
  children: ReactNode;
}

/** The end of a dialog with one act: why it failed, and its buttons. Nothing cancels a call that is under way. */
export function ActButtons({ act, onClose, children }: Props) {
  const texts = useTexts();
  return (
    <>
      <Failure why={act.failure} />
      <DialogButtons>
        <Button isDisabled={act.isPending} onPress={onClose}>
          {texts.requests.cancel}
        </Button>
        {children}
      </DialogButtons>
    </>
  );
}
