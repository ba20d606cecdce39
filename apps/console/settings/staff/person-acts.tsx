import { useState } from 'react';
import type { CreateLinkResponse } from '@offizin/contracts/people/staff';
import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { ActButtons } from '../forms/act-buttons';
import { AskDialog } from '../forms/ask-dialog';
import { SecretDialog } from '../forms/secret-dialog';
import { FormDialog } from '../forms/form-dialog';
import { useSettingsTexts } from '../forms/settings-texts';
import { ownMistakes, useAct } from '../forms/use-act';
import { toasts } from '../../messages/toasts';
import { useFormats } from '../../text/texts';
import { RoleChoice } from './role-choice';
import {
  changePerson,
  makeLink,
  type Person,
  removeSecondFactor,
  signOutEverywhere,
  staffQuery,
} from './staff.calls';

export type PersonAct = 'change' | 'link' | 'signOut' | 'removeFactor' | 'switch';

export interface OpenPerson {
  act: PersonAct;
  person: Person;
}

/** The dialog of what is done with a person. */
export default function PersonActs({ act, person, onClose }: OpenPerson & { onClose: () => void }) {
  switch (act) {
    case 'change':
      return <PersonDialog person={person} onClose={onClose} />;
    case 'link':
      return <LinkDialog person={person} onClose={onClose} />;
    default:
      return <AskedAct act={act} person={person} onClose={onClose} />;
  }
}

interface Props {
  person: Person;
  onClose: () => void;
}

/** Name and role. Another role ends the person's sessions. */
function PersonDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const [role, setRole] = useState(person.role);
  const [name, setName] = useState(person.name);
  const given = name.trim();
  const isRoleNew = role !== person.role;
  const act = useAct({
    send: () =>
      changePerson(person.id, {
        ...(given !== person.name && { name: given }),
        ...(isRoleNew && { role }),
      }),
    queryKey: staffQuery.queryKey,
    onDone: () => {
      toasts.show({ text: texts.changed(given) });
      onClose();
    },
    conflict: texts.lastOwner,
  });
  return (
    <FormDialog
      title={texts.changeTitle(person.name)}
      act={act}
      does={texts.save}
      isReady={given !== '' && (given !== person.name || isRoleNew)}
      mistakes={ownMistakes(act, { name: texts.noName })}
      onSend={() => act.run()}
      onClose={onClose}
    >
      <Field label={texts.name} name="name" maxLength={255} value={name} onChange={setName} autoFocus />
      <RoleChoice role={role} onChoose={setRole} />
      {isRoleNew && <p>{texts.roleEndsSessions}</p>}
    </FormDialog>
  );
}

/** A new link: earlier ones of the person end, so it asks first. */
function LinkDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const formats = useFormats();
  const [made, setMade] = useState<CreateLinkResponse | null>(null);
  const kind = person.has_joined ? 'reset' : 'invitation';
  const act = useAct({
    send: () => makeLink(person.id, kind),
    queryKey: staffQuery.queryKey,
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
    <Dialog title={title} isBusy={act.isPending} onClose={onClose}>
      <p>{texts.linkText[kind]}</p>
      <ActButtons act={act} onClose={onClose}>
        <Button kind="main" autoFocus isPending={act.isPending} onPress={() => act.run()}>
          {texts.makeLink}
        </Button>
      </ActButtons>
    </Dialog>
  );
}

interface AskedActProps extends Props {
  act: 'signOut' | 'removeFactor' | 'switch';
}

/**
 * Off: signed out everywhere within two seconds. On: the password of before counts again. Without a second factor, the
 * next sign-in asks for the password only, or leads to a new set-up.
 */
function AskedAct({ act, person, onClose }: AskedActProps) {
  const { staff: texts } = useSettingsTexts();
  const { id } = person;
  const isActive = !person.is_active;
  const to = isActive ? 'on' : 'off';
  const { words, said, send } = {
    signOut: { words: texts.signOutEverywhere, said: texts.signedOut, send: () => signOutEverywhere(id) },
    removeFactor: {
      words: texts.removeFactor,
      said: texts.factorRemoved,
      send: () => removeSecondFactor(id),
    },
    switch: {
      words: texts.switch[to],
      said: texts.switched[to],
      send: () => changePerson(id, { is_active: isActive }),
    },
  }[act];
  return (
    <AskDialog<unknown>
      {...words}
      title={words.title(person.name)}
      send={send}
      queryKey={staffQuery.queryKey}
      said={said(person.name)}
      {...(act === 'switch' && { conflict: texts.lastOwner })}
      onClose={onClose}
    />
  );
}
