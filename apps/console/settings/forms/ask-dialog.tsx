import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { ActButtons } from './act-buttons';
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
  return (
    <Dialog title={title} isOpen isAlert isBusy={act.isPending} onClose={onClose}>
      <p>{text}</p>
      <ActButtons act={act} onClose={onClose}>
        <Button kind="danger" isPending={act.isPending} onPress={() => act.run()}>
          {does}
        </Button>
      </ActButtons>
    </Dialog>
  );
}
