import type { CreatedApiKey } from '@offizin/contracts/directory';
import { SecretDialog } from '../settings/secret-dialog';
import { useSettingsTexts } from '../settings/settings-texts';
import { useFormats } from '../text/texts';

interface Props {
  made: CreatedApiKey;
  onClose: () => void;
}

export function KeyShown({ made, onClose }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const formats = useFormats();
  const { name, api_key: secret, expires_at: endsAt } = made;
  return (
    <SecretDialog
      title={texts.madeTitle(name)}
      label={texts.key}
      secret={secret}
      stored={texts.stored}
      onClose={onClose}
    >
      <p>{endsAt === null ? texts.endless : texts.until(formats.dateTime(endsAt))}</p>
    </SecretDialog>
  );
}
