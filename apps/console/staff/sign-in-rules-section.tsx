import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Role } from '@offizin/contracts/roles';
import { Check } from '../controls/check';
import { Failure } from '../settings/failure';
import { SettingsSection } from '../settings/settings-page';
import { useSettingsTexts } from '../settings/settings-texts';
import { useAct } from '../settings/use-act';
import { Fault } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { toasts } from '../shell/toasts';
import { useTexts } from '../text/texts';
import { setSignInRules, signInRulesQuery } from './staff.calls';

const ROLES = ['owner', 'pharmacist', 'clerk'] as const satisfies readonly Role[];

/** Which roles need a second factor. Saved as soon as it is chosen. */
export function SignInRulesSection() {
  const shared = useTexts();
  const { staff: texts } = useSettingsTexts();
  const { org } = useSession();
  const rules = signInRulesQuery(org.id);
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(rules);
  const act = useAct({
    send: (second_factor_roles: Role[]) => setSignInRules(org.id, { second_factor_roles }),
    queryKey: rules.queryKey,
    onDone: (saved) => {
      // A change sends the whole list: the next one must start from the saved list, not from the one before it.
      client.setQueryData(rules.queryKey, saved);
      toasts.show({ text: shared.me.saved });
    },
  });
  if (!data) return error && <Fault error={error} onAgain={() => void refetch()} />;
  const { second_factor_roles: needing } = data;
  return (
    <SettingsSection title={texts.needFactor}>
      <p>{texts.needFactorHint}</p>
      {ROLES.map((role) => {
        const isNeeded = needing.includes(role);
        const others = needing.filter((other) => other !== role);
        return (
          <Check
            key={role}
            label={shared.shell.roles[role]}
            isChecked={isNeeded}
            isPending={act.isPending}
            onToggle={() => act.run(isNeeded ? others : [...others, role])}
          />
        );
      })}
      <Failure act={act} />
    </SettingsSection>
  );
}
