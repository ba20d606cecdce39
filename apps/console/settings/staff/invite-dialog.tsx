import type { Role } from '@offizin/contracts/people/roles';
import type {
  CreateStaffBody,
  CreateStaffResponse,
  MAX_STAFF as contract,
} from '@offizin/contracts/people/staff';
import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { ActButtons } from '../forms/act-buttons';
import { SecretDialog } from '../forms/secret-dialog';
import css from '../forms/settings-form.module.css';
import { useSettingsTexts } from '../forms/settings-texts';
import { ownMistakes, useAct, useSendKey } from '../forms/use-act';
import { useFormats } from '../../text/texts';
import { RoleChoice } from './role-choice';
import { invite, staffQuery } from './staff.calls';

const MAX_STAFF: typeof contract = 200;

interface Props {
  /** People there are. */
  count: number;
  onClose: () => void;
}

/** Name, e-mail and role; then the link, shown once. */
export default function InviteDialog({ count, onClose }: Props) {
  const { staff: texts } = useSettingsTexts();
  const formats = useFormats();
  const [role, setRole] = useState<Role>('pharmacist');
  const [invited, setInvited] = useState<CreateStaffResponse | null>(null);
  const sendUnderKey = useSendKey();
  const act = useAct({
    send: (body: CreateStaffBody) => sendUnderKey(body, (key) => invite(body, key)),
    queryKey: staffQuery.queryKey,
    onDone: setInvited,
    conflict: count >= MAX_STAFF ? texts.tooMany(MAX_STAFF) : texts.taken,
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const textOf = (name: string) => {
      const value = given.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    act.run({ name: textOf('name'), email: textOf('email'), role });
  };
  if (invited)
    return (
      <SecretDialog
        title={texts.invitedTitle(invited.staff.name)}
        label={texts.link}
        secret={invited.invite_url}
        stored={texts.passedOn}
        onClose={onClose}
      >
        <p>{texts.linkEnds(formats.dateTime(invited.expires_at))}</p>
      </SecretDialog>
    );
  return (
    <Dialog title={texts.invite} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={submit}
        validationErrors={ownMistakes(act, { name: texts.noName, email: texts.noEmail })}
        validationBehavior="aria"
      >
        <Field label={texts.name} name="name" maxLength={255} isRequired autoFocus autoComplete="off" />
        <Field label={texts.email} name="email" type="email" maxLength={255} isRequired autoComplete="off" />
        <RoleChoice role={role} onChoose={setRole} />
        <ActButtons act={act} onClose={onClose}>
          <Button kind="main" type="submit" isPending={act.isPending}>
            {texts.makeLink}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
