import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { useTexts } from '../text/texts';

interface Props {
  customer: string;
  /** Names of the colleagues who have the request open. */
  names: string;
  onApprove: () => void;
  onClose: () => void;
}

/** Asks once before a request is approved that a colleague is looking at. The database decides who was first. */
export function SharedDialog({ customer, names, onApprove, onClose }: Props) {
  const texts = useTexts().live;
  return (
    <Dialog title={texts.sharedTitle(customer)} isOpen isAlert onClose={onClose}>
      <p>{texts.shared(names)}</p>
      <DialogButtons>
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button kind="main" autoFocus onPress={onApprove}>
          {texts.approve}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
