import { AskDialog } from '../forms/ask-dialog';
import { useSignOnTexts } from '../../signing-in/sign-on-texts';
import { removeSignOn, signOnQuery } from './sign-on.calls';

/** Loaded on demand: dialogs are most of what this page would weigh. */
export default function RemoveDialog({ onGone, onClose }: { onGone: () => void; onClose: () => void }) {
  const texts = useSignOnTexts();
  return (
    <AskDialog
      title={texts.removeTitle}
      text={texts.removeText}
      does={texts.remove}
      send={removeSignOn}
      queryKey={signOnQuery.queryKey}
      said={texts.removed}
      onDone={() => {
        onGone();
        onClose();
      }}
      onClose={onClose}
    />
  );
}
