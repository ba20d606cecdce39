import { AskDialog } from '../settings/ask-dialog';
import { useSettingsTexts } from '../settings/settings-texts';
import { useAct } from '../settings/use-act';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { changePerson, type Person, removeSecondFactor, signOutEverywhere, staffQuery } from './staff.calls';

interface Props {
  person: Person;
  onClose: () => void;
}

/** Off: signed out everywhere within two seconds. On: the password of before counts again. */
export function SwitchDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const { org } = useSession();
  const to = person.is_active ? 'off' : 'on';
  const act = useAct({
    send: () => changePerson({ orgId: org.id, staffId: person.id }, { is_active: !person.is_active }),
    queryKey: staffQuery(org.id).queryKey,
    onDone: () => {
      toasts.show({ text: texts.switched[to](person.name) });
      onClose();
    },
    conflict: texts.lastOwner,
  });
  const { title, text, does } = texts.switch[to];
  return <AskDialog title={title(person.name)} text={text} does={does} act={act} onClose={onClose} />;
}

export function SignOutDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const { org } = useSession();
  const act = useAct({
    send: () => signOutEverywhere({ orgId: org.id, staffId: person.id }),
    queryKey: staffQuery(org.id).queryKey,
    onDone: () => {
      toasts.show({ text: texts.signedOut(person.name) });
      onClose();
    },
  });
  const { title, text, does } = texts.signOutEverywhere;
  return <AskDialog title={title(person.name)} text={text} does={does} act={act} onClose={onClose} />;
}

/** For who has lost the phone: the next sign-in asks for the password only, or leads to a new set-up. */
export function RemoveFactorDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const { org } = useSession();
  const act = useAct({
    send: () => removeSecondFactor({ orgId: org.id, staffId: person.id }),
    queryKey: staffQuery(org.id).queryKey,
    onDone: () => {
      toasts.show({ text: texts.factorRemoved(person.name) });
      onClose();
    },
  });
  const { title, text, does } = texts.removeFactor;
  return <AskDialog title={title(person.name)} text={text} does={does} act={act} onClose={onClose} />;
}
