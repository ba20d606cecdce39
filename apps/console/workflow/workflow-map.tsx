import type { OrderStatus } from '@offizin/contracts/orders';
import { ORDER_STATUSES } from '../orders/order-search';
import { useOrderTexts } from '../orders/order-texts';
import { SettingsSection } from '../settings/settings-page';
import { useSettingsTexts } from '../settings/settings-texts';
import { type Draft, unreachable } from './workflow';
import css from './workflow-map.module.css';

interface Props {
  draft: Draft;
  isLocked: boolean;
  onToggle: (from: OrderStatus, to: OrderStatus) => void;
}

/** Each status with the steps that lead on from it. A step that is pressed comes or goes. */
export function WorkflowMap({ draft, isLocked, onToggle }: Props) {
  const { workflow: texts } = useSettingsTexts();
  const { status: names } = useOrderTexts();
  const lost = unreachable(draft.transitions);
  return (
    <SettingsSection title={texts.map}>
      <p className={css.hint}>{texts.mapHint}</p>
      <ol className={css.map}>
        {ORDER_STATUSES.map((from) => (
          <li key={from} className={css.from}>
            <span className={css.status}>{names[from]}</span>
            <span className={css.arrow} aria-hidden>
              {'→'}
            </span>
            <div className={css.steps} role="group" aria-label={texts.from(names[from])}>
              {ORDER_STATUSES.filter((to) => to !== from).map((to) => (
                <button
                  key={to}
                  type="button"
                  className={css.step}
                  disabled={isLocked}
                  aria-pressed={draft.transitions[from].includes(to)}
                  onClick={() => {
                    onToggle(from, to);
                  }}
                >
                  {names[to]}
                </button>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <p role="status" className={css.lost}>
        {lost.length > 0 && texts.unreachable(lost.map((status) => names[status]).join(', '))}
      </p>
    </SettingsSection>
  );
}
