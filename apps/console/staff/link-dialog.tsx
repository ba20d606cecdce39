import { useState } from 'react';
import type { CreateLinkResponse } from '@offizin/contracts/staff';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { ActButtons } from '../settings/act-buttons';
import { SecretDialog } from '../settings/secret-dialog';
import { useSettingsTexts } from '../settings/settings-texts';
import { useAct } from '../settings/use-act';
import { useSession } from '../shell/session.calls';
import { useFormats } from '../text/texts';
import { makeLink, type Person, staffQuery } from './staff.calls';

interface Props {
  person: Person;
  onClose: () => void;
}

/** A new link: earlier ones of the person end, so it asks first. */
export function LinkDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const formats = useFormats();
  const { org } = useSession();
  const [made, setMade] = useState<CreateLinkResponse | null>(null);
  const kind = person.has_joined ? 'reset' : 'invitation';
  const act = useAct({
    send: () => makeLink({ orgId: org.id, staffId: person.id }, kind),
    queryKey: staffQuery(org.id).queryKey,
    onDone: setMade,
    conflict: texts.linkRefused,
  });
  const title = texts.linkTitle[kind](person.name);
  if (made)
    return (
      <SecretDialog
        title={title}
        label={texts.link}
        secret={made.url}
        stored={texts.passedOn}
        onClose={onClose}
      >
        <p>{texts.linkEnds(formats.dateTime(made.expires_at))}</p>
      </SecretDialog>
    );
  return (
    <Dialog title={title} isOpen isBusy={act.isPending} onClose={onClose}>
      <p>{texts.linkText[kind]}</p>
      <ActButtons act={act} onClose={onClose}>
        <Button kind="main" autoFocus isPending={act.isPending} onPress={() => act.run()}>
          {texts.makeLink}
        </Button>
      </ActButtons>
    </Dialog>
  );
}
