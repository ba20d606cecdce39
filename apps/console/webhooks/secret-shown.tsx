import { SecretDialog } from '../settings/secret-dialog';
import { useFormats } from '../text/texts';
import { useWebhookTexts } from './webhook-texts';

interface Props {
  /** Null when the server has shown it before. */
  secret: string | null;
  /** After a rotation: until when the previous one signs, too. */
  previousUntil?: string | null;
  onClose: () => void;
}

export function SecretShown({ secret, previousUntil = null, onClose }: Props) {
  const texts = useWebhookTexts();
  const formats = useFormats();
  return (
    <SecretDialog
      title={texts.secretTitle}
      label={texts.secret}
      secret={secret}
      stored={texts.secretStored}
      onClose={onClose}
    >
      <p>{texts.secretHint}</p>
      {previousUntil !== null && <p>{texts.previousUntil(formats.dateTime(previousUntil))}</p>}
    </SecretDialog>
  );
}
