import type { OrderStatus } from '@offizin/contracts/orders';
import { useState } from 'react';
import { Button } from '../controls/button';
import { Picker } from '../controls/picker';
import { ORDER_STATUSES } from '../orders/order-search';
import { useOrderTexts } from '../orders/order-texts';
import { SettingsSection } from '../settings/settings-page';
import { useSettingsTexts } from '../settings/settings-texts';
import type { Transitions } from './workflow';
import css from './workflow-trial.module.css';

/** Walks an imagined order through the workflow as it is drawn, before it is saved. */
export function WorkflowTrial({ transitions }: { transitions: Transitions }) {
  const { workflow: texts } = useSettingsTexts();
  const { status: names } = useOrderTexts();
  const [start, setStart] = useState<OrderStatus>('pending');
  const [steps, setSteps] = useState<readonly OrderStatus[]>([]);
  const at = steps.at(-1) ?? start;
  const next = transitions[at];
  return (
    <SettingsSection title={texts.trial}>
      <div className={css.start}>
        <span>{texts.trialStart}</span>
        <Picker
          label={texts.trialStart}
          choices={ORDER_STATUSES.map((id) => ({ id, name: names[id] }))}
          chosen={start}
          onChoose={(id) => {
            const chosen = ORDER_STATUSES.find((status) => status === id);
            if (!chosen) return;
            setStart(chosen);
            setSteps([]);
          }}
        />
      </div>
      <p role="status">
        {[start, ...steps].map((status) => names[status]).join(' → ')}
        {next.length === 0 && ` · ${texts.final}`}
      </p>
      <div className={css.next} role="group" aria-label={texts.next(names[at])}>
        {next.map((to) => (
          <Button key={to} onPress={() => setSteps([...steps, to])}>
            {names[to]}
          </Button>
        ))}
        {steps.length > 0 && (
          <Button kind="quiet" onPress={() => setSteps([])}>
            {texts.again}
          </Button>
        )}
      </div>
    </SettingsSection>
  );
}
