import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { useTexts } from '../text/texts';

interface Props {
  customer: string;
  onEdit: () => void;
  onClose: () => void;
}

/** Without stock there is nothing to override: the server refuses the approval. */
export function StockDialog({ customer, onEdit, onClose }: Props) {
  const { requests, live, deciding } = useTexts();
  return (
    <Dialog title={live.sharedTitle(customer)} isOpen isAlert onClose={onClose}>
      <p>{deciding.lacksStock}</p>
      <DialogButtons>
        <Button onPress={onClose}>{requests.cancel}</Button>
        <Button kind="main" autoFocus onPress={onEdit}>
          {requests.edit}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
