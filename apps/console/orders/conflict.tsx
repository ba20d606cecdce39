import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { Button } from '../controls/button';
import { changedBy, isPossible, type OrderAct } from './order-change';
import { Differences } from './differences';
import { useOrderTexts } from './order-texts';
import type { KeptConflict } from './orders.calls';
import css from './order-detail.module.css';

interface Props {
  conflict: KeptConflict;
  /** As it is on the screen now. */
  order: PipelineOrder;
  blocked: string | null;
  onTakeOver: (act: OrderAct) => void;
  onDrop: () => void;
}

/** A colleague or an integrator changed the order first. Shows both versions; the person may make the change again. */
export function Conflict({ conflict: { act, present: read }, order, blocked, onTakeOver, onDrop }: Props) {
  const texts = useOrderTexts();
  const present = order.version > read.version ? order : read;
  const mine =
    act.kind === 'paid' ? texts.conflict.mine.paid : texts.conflict.mine.status(texts.status[act.to]);
  const canTakeOver = isPossible(act, present);
  return (
    <section className={css.conflict} role="alert" aria-label={texts.conflict.title}>
      <h2>{texts.conflict.title}</h2>
      <p>
        {mine} {texts.conflict.who(changedBy(act.seen, present).join(', '))}
      </p>
      <Differences seen={act.seen} present={present} />
      {!canTakeOver && <p>{texts.conflict.impossible}</p>}
      <div className={css.buttons}>
        {canTakeOver && (
          <Button
            isDisabled={blocked !== null}
            onPress={() => {
              onTakeOver({ ...act, seen: present });
            }}
          >
            {texts.conflict.takeOver}
          </Button>
        )}
        <Button kind="quiet" onPress={onDrop}>
          {texts.conflict.drop}
        </Button>
      </div>
    </section>
  );
}
