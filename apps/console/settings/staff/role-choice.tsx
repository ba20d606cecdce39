import type { Role } from '@offizin/contracts/people/roles';
import { Choice } from '../../controls/choice';
import { useSettingsTexts } from '../forms/settings-texts';
import { useTexts } from '../../text/texts';

const ROLES = ['owner', 'pharmacist', 'clerk'] as const satisfies readonly Role[];

/** A role, and what it may do. */
export function RoleChoice({ role, onChoose }: { role: Role; onChoose: (role: Role) => void }) {
  const { shell } = useTexts();
  const { staff: texts } = useSettingsTexts();
  return (
    <Choice
      label={texts.role}
      hint={texts.may[role]}
      values={ROLES.map((value) => ({ value, name: shell.roles[value] }))}
      selected={role}
      onSelect={onChoose}
    />
  );
}
