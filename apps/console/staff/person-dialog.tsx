import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { Field } from '../controls/field';
import { ActButtons } from '../settings/act-buttons';
import css from '../settings/settings-form.module.css';
import { useSettingsTexts } from '../settings/settings-texts';
import { ownMistakes, useAct } from '../settings/use-act';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { RoleChoice } from './role-choice';
import { changePerson, type Person, staffQuery } from './staff.calls';

interface Props {
  person: Person;
  onClose: () => void;
}

/** Name and role. Another role ends the person's sessions. */
export function PersonDialog({ person, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const { org } = useSession();
  const [role, setRole] = useState(person.role);
  const [name, setName] = useState(person.name);
  const given = name.trim();
  const isRoleNew = role !== person.role;
  const act = useAct({
    send: () =>
      changePerson(
        { orgId: org.id, staffId: person.id },
        { ...(given !== person.name && { name: given }), ...(isRoleNew && { role }) },
      ),
    queryKey: staffQuery(org.id).queryKey,
    onDone: () => {
      toasts.show({ text: texts.changed(given) });
      onClose();
    },
    conflict: texts.lastOwner,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    act.run();
  };
  return (
    <Dialog title={texts.changeTitle(person.name)} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={submit}
        validationErrors={ownMistakes(act, { name: texts.noName })}
        validationBehavior="aria"
      >
        <Field label={texts.name} name="name" maxLength={255} value={name} onChange={setName} autoFocus />
        <RoleChoice role={role} onChoose={setRole} />
        {isRoleNew && <p>{texts.roleEndsSessions}</p>}
        <ActButtons act={act} onClose={onClose}>
          <Button
            kind="main"
            type="submit"
            isPending={act.isPending}
            isDisabled={given === '' || (given === person.name && !isRoleNew)}
          >
            {texts.save}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
