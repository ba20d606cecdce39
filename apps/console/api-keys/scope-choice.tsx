import type { Scope } from '@offizin/contracts/scopes';
import { Check } from '../controls/check';
import { useSettingsTexts } from '../settings/settings-texts';
import { useSession } from '../shell/session.calls';
import css from './scope-choice.module.css';

interface Props {
  chosen: readonly Scope[];
  onChoose: (chosen: readonly Scope[]) => void;
}

/** The rights that a key can have, and that the person has. */
export function ScopeChoice({ chosen, onChoose }: Props) {
  const { apiKeys: texts } = useSettingsTexts();
  const { scopes } = useSession();
  const known = Object.entries(texts.scopes).flatMap(([id, name]) => {
    const scope = scopes.find((own): own is Scope => own === id);
    return scope === undefined ? [] : [{ scope, name }];
  });
  return (
    <fieldset className={css.scopes}>
      <legend className={css.legend}>{texts.may}</legend>
      {known.map(({ scope, name }) => (
        <Check
          key={scope}
          label={name}
          isChecked={chosen.includes(scope)}
          onToggle={() => {
            onChoose(chosen.includes(scope) ? chosen.filter((other) => other !== scope) : [...chosen, scope]);
          }}
        />
      ))}
    </fieldset>
  );
}
