import { AskDialog } from '../forms/ask-dialog';
import { useSignOnTexts } from '../../signing-in/sign-on-texts';
import { useRemoveSignOn } from './use-sign-on-form';

/** Loaded on demand: dialogs are most of what this page would weigh. */
export default function RemoveDialog({ onGone, onClose }: { onGone: () => void; onClose: () => void }) {
  const texts = useSignOnTexts();
  const act = useRemoveSignOn(() => {
    onGone();
    onClose();
  });
  return (
    <AskDialog
      title={texts.removeTitle}
      text={texts.removeText}
      does={texts.remove}
      act={act}
      onClose={onClose}
    />
  );
}
