import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { useSettingsTexts } from './settings-texts';

interface Props {
  onLeave: () => void;
  onStay: () => void;
}

/** Asks before unsaved changes are lost. */
export default function LeaveDialog({ onLeave, onStay }: Props) {
  const { review: texts } = useSettingsTexts();
  return (
    <Dialog title={texts.leaveTitle} isAlert onClose={onStay}>
      <p>{texts.leaveText}</p>
      <DialogButtons>
        <Button kind="danger" onPress={onLeave}>
          {texts.leave}
        </Button>
        <Button kind="main" onPress={onStay}>
          {texts.stay}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
