import { useState } from 'react';
import type { CreatedApiKey } from '@offizin/contracts/directory';
import { Button } from '../controls/button';
import { Choice } from '../controls/choice';
import { Dialog } from '../controls/dialog';
import { ActButtons } from '../settings/act-buttons';
import { useSettingsTexts } from '../settings/settings-texts';
import { useAct } from '../settings/use-act';
import { useSendKey } from '../settings/use-send-key';
import { useSession } from '../shell/session.calls';
import { apiKeysQuery, rotateKey } from './api-keys.calls';
import type { ApiKey } from './key-state';
import { KeyShown } from './key-shown';

const OVERLAP_DAYS = ['0', '1', '7', '30'] as const;
const DAY_SECONDS = 86_400;

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
}

/** A new key of the same rights. The old one counts for a while, so that its user can change over. */
export default function RotateDialog({ apiKey, onClose }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const { org } = useSession();
  const [days, setDays] = useState<(typeof OVERLAP_DAYS)[number]>('1');
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const sendUnderKey = useSendKey();
  const act = useAct({
    send: () =>
      sendUnderKey(days, (key) =>
        rotateKey({ orgId: org.id, keyId: apiKey.id }, Number(days) * DAY_SECONDS, key),
      ),
    queryKey: apiKeysQuery(org.id).queryKey,
    onDone: setMade,
    conflict: texts.notRotatable,
  });
  if (made) return <KeyShown made={made} onClose={onClose} />;
  return (
    <Dialog title={texts.rotateTitle(apiKey.name)} isOpen isBusy={act.isPending} onClose={onClose}>
      <p>{texts.rotateText}</p>
      <Choice
        label={texts.overlap}
        values={OVERLAP_DAYS.map((value) => ({ value, name: texts.overlaps[value] }))}
        selected={days}
        onSelect={setDays}
      />
      <ActButtons act={act} onClose={onClose}>
        <Button kind="main" autoFocus isPending={act.isPending} onPress={() => act.run()}>
          {texts.rotate}
        </Button>
      </ActButtons>
    </Dialog>
  );
}
