import { AskDialog } from '../settings/ask-dialog';
import { useSettingsTexts } from '../settings/settings-texts';
import { useAct } from '../settings/use-act';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { apiKeysQuery, revokeKey } from './api-keys.calls';
import type { ApiKey } from './key-state';

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
}

export default function RevokeDialog({ apiKey: { id, name }, onClose }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const { org } = useSession();
  const act = useAct({
    send: () => revokeKey({ orgId: org.id, keyId: id }),
    queryKey: apiKeysQuery(org.id).queryKey,
    onDone: () => {
      toasts.show({ text: texts.revoked(name) });
      onClose();
    },
  });
  const { title, text, does } = texts.revoke;
  return <AskDialog title={title(name)} text={text} does={does} act={act} onClose={onClose} />;
}
