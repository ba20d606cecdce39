import type { PipelineOrder } from '@offizin/contracts/pipeline';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { useKeys } from '../shell/keys';
import { LeaveButton } from '../shell/leave-button';
import { useDraft } from '../shell/use-draft';
import { readableName } from '../text/customer-name';
import { earlierStatuses, type OrderAct } from './order-change';
import { useOrderTexts } from './order-texts';
import css from './order-detail.module.css';

interface Props {
  kind: 'status' | 'reopen';
  order: PipelineOrder;
  onChoose: (act: OrderAct) => void;
  onClose: () => void;
}

/** As the server has it. */
const MAX_REASON = 500;

/** The allowed next statuses and no others, or for a reopening all others and its reason; each on a digit. */
export default function StatusDialog({ kind, order, onChoose, onClose }: Props) {
  const texts = useOrderTexts();
  const draft = useDraft(order.id, 'reopen', '');
  const { value: reason, change: setReason } = draft;
  const given = reason.trim();
  const isReady = kind === 'status' || given !== '';
  const statuses = kind === 'status' ? order.next_statuses : earlierStatuses(order);
  const choices = statuses.map((to, index) => ({
    keys: String(index + 1),
    does: texts.status[to],
    run: () => {
      if (!isReady) return;
      draft.discard();
      onChoose(kind === 'status' ? { kind, to, seen: order } : { kind, to, reason: given, seen: order });
    },
  }));
  useKeys('dialog', choices);
  const customer = readableName(order.customer_name) ?? texts.nameless;
  const title = kind === 'status' ? texts.nextStatusOf(customer) : texts.reopenOf(customer);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {kind === 'reopen' && (
        <Field
          autoFocus
          isRequired
          label={texts.reopenReason}
          hint={texts.reopenReasonHint}
          value={reason}
          onChange={setReason}
          maxLength={MAX_REASON}
          rows={2}
        />
      )}
      <div className={css.choices}>
        {choices.map(({ keys, does, run }) => (
          <Button key={keys} shortcut={keys} isDisabled={!isReady} onPress={run}>
            {does}
          </Button>
        ))}
      </div>
      <DialogButtons>
        <LeaveButton draft={draft} onClose={onClose} />
      </DialogButtons>
    </Dialog>
  );
}
