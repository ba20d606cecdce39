import { Button } from '../controls/button';
import type { Draft } from './use-draft';
import { useTexts } from '../text/texts';

interface Props {
  draft: Pick<Draft<unknown>, 'isKept' | 'discard'>;
  /** The typed text is being sent. */
  isBusy?: boolean;
  onClose: () => void;
}

/** Leaves a dialog. With something typed it warns that it throws that away; Escape keeps it. */
export function LeaveButton({ draft: { isKept, discard }, isBusy = false, onClose }: Props) {
  const { requests, deciding } = useTexts();
  return (
    <Button
      isDisabled={isBusy}
      onPress={() => {
        discard();
        onClose();
      }}
    >
      {isKept ? deciding.discard : requests.cancel}
    </Button>
  );
}
