import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { useKeys } from '../shell/keys';
import { readableName } from '../text/customer-name';
import type { OrderAct } from './order-change';
import { useOrderTexts } from './order-texts';
import css from './order-detail.module.css';

interface Props {
  order: PipelineOrder;
  onChoose: (act: OrderAct) => void;
  onClose: () => void;
}

/** The allowed next statuses and no others, each on a digit. */
export default function StatusDialog({ order, onChoose, onClose }: Props) {
  const texts = useOrderTexts();
  const choices = order.next_statuses.map((to, index) => ({
    keys: String(index + 1),
    does: texts.status[to],
    run: () => {
      onChoose({ kind: 'status', to, seen: order });
    },
  }));
  useKeys('dialog', choices);
  const title = texts.nextStatusOf(readableName(order.customer_name) ?? texts.nameless);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <div className={css.choices}>
        {choices.map(({ keys, does, run }) => (
          <Button key={keys} shortcut={keys} onPress={run}>
            {does}
          </Button>
        ))}
      </div>
      <DialogButtons>
        <Button kind="quiet" onPress={onClose}>
          {texts.cancel}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
