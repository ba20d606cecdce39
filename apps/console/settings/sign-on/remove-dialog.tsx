import { AskDialog } from '../forms/ask-dialog';
import { useSession } from '../../session/session.calls';
import { useSignOnTexts } from '../../signing-in/sign-on-texts';
import { removeSignOn, signOnQuery } from './sign-on.calls';

/** Loaded on demand: dialogs are most of what this page would weigh. */
export default function RemoveDialog({ onGone, onClose }: { onGone: () => void; onClose: () => void }) {
  const texts = useSignOnTexts();
  const { org } = useSession();
  return (
    <AskDialog
      title={texts.removeTitle}
      text={texts.removeText}
      does={texts.remove}
      send={() => removeSignOn(org.id)}
      queryKey={signOnQuery(org.id).queryKey}
      said={texts.removed}
      onDone={() => {
        onGone();
        onClose();
      }}
      onClose={onClose}
    />
  );
}
