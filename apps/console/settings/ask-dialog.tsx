import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { useTexts } from '../text/texts';
import { Failure } from './failure';
import type { Act } from './use-act';

interface Props {
  title: string;
  /** What happens then. */
  text: string;
  /** The word on the button. */
  does: string;
  act: Act<void>;
  onClose: () => void;
}

/** Asks before something that others notice at once. */
export function AskDialog({ title, text, does, act, onClose }: Props) {
  const texts = useTexts();
  return (
    <Dialog title={title} isOpen isAlert isBusy={act.isPending} onClose={onClose}>
      <p>{text}</p>
      <Failure act={act} />
      <DialogButtons>
        <Button isDisabled={act.isPending} onPress={onClose}>
          {texts.requests.cancel}
        </Button>
        <Button kind="danger" isPending={act.isPending} onPress={() => act.run()}>
          {does}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
