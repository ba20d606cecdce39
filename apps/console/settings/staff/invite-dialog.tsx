import type { Role } from '@offizin/contracts/people/roles';
import type {
  CreateStaffBody,
  CreateStaffResponse,
  MAX_STAFF as contract,
} from '@offizin/contracts/people/staff';
import { useState } from 'react';
import { Field, textIn } from '../../controls/field';
import { SecretDialog } from '../forms/secret-dialog';
import { FormDialog } from '../forms/form-dialog';
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
  const send = (fields: FormData) =>
    act.run({ name: textIn(fields, 'name').trim(), email: textIn(fields, 'email').trim(), role });
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
    <FormDialog
      title={texts.invite}
      act={act}
      does={texts.makeLink}
      mistakes={ownMistakes(act, { name: texts.noName, email: texts.noEmail })}
      onSend={send}
      onClose={onClose}
    >
      <Field label={texts.name} name="name" maxLength={255} isRequired autoFocus autoComplete="off" />
      <Field label={texts.email} name="email" type="email" maxLength={255} isRequired autoComplete="off" />
      <RoleChoice role={role} onChoose={setRole} />
    </FormDialog>
  );
}
