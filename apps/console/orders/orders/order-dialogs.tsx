import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { sentenceOf } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { DraftForm } from '../../lists/draft-form';
import { LeaveButton } from '../../session/leave-button';
import { renewKey } from '../../session/send-key';
import { useDraft } from '../../session/use-draft';
import { readableName } from '../../text/customer-name';
import { useTexts } from '../../text/texts';
import { earlierStatuses, type OrderAct } from './order-change';
import css from './order-detail.module.css';
import { useOrderTexts } from './order-texts';
import { addNote, orderDetail } from './orders.calls';

interface Props {
  kind: 'status' | 'reopen';
  order: PipelineOrder;
  onChoose: (act: OrderAct) => void;
  onClose: () => void;
}

/** As the server has it. */
const MAX_REASON = 500;

/** The allowed next statuses and no others, or for a reopening all others and its reason; each on a digit. */
export function StatusDialog({ kind, order, onChoose, onClose }: Props) {
  const texts = useOrderTexts();
  const draft = useDraft(order.id, 'reopen', '');
  const { value: reason, change: setReason } = draft;
  // Of an erased order no reason is stored.
  const needsReason = kind === 'reopen' && order.erased_at === null;
  const given = needsReason ? reason.trim() : '';
  const isReady = !needsReason || given !== '';
  const stock = kind === 'reopen' ? texts.reopenStock[order.stock] : '';
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
    <Dialog title={title} onClose={onClose}>
      {needsReason ? (
        <Field
          autoFocus
          isRequired
          label={texts.reopenReason}
          hint={`${texts.reopenReasonHint} ${stock}`.trimEnd()}
          value={reason}
          onChange={setReason}
          maxLength={MAX_REASON}
          rows={2}
        />
      ) : (
        stock !== '' && <p>{stock}</p>
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

/** As the server has it. */
const MAX_NOTE = 2_000;

interface OrderNoteDialogProps {
  orderId: string;
  customer: string;
  onClose: () => void;
}

/** A note for staff. It does not change the order, so it is saved immediately and not held. */
export function OrderNoteDialog({ orderId, customer, onClose }: OrderNoteDialogProps) {
  const texts = useOrderTexts();
  const shared = useTexts();
  const [empty] = useState(() => ({ text: '', key: crypto.randomUUID() }));
  const draft = useDraft(orderId, 'note', empty);
  const { text, key } = draft.value;
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (note: string) => addNote(orderId, note, key),
    onSuccess: (added) => {
      const { queryKey } = orderDetail(orderId);
      client.setQueryData(queryKey, (shown) => shown && { ...shown, notes: [added, ...shown.notes] });
      void client.invalidateQueries({ queryKey });
      draft.discard();
      onClose();
    },
    onError: (refusal) => {
      renewKey(draft, refusal);
    },
  });
  const given = text.trim();
  return (
    <Dialog title={texts.noteTitle(customer)} isBusy={isPending} onClose={onClose}>
      <DraftForm
        draft={draft}
        does={texts.saveNote}
        isReady={given !== ''}
        isPending={isPending}
        isBusy={isPending}
        failure={error && sentenceOf(error, shared)}
        onSend={() => given !== '' && mutate(given)}
        onClose={onClose}
      >
        <Field
          autoFocus
          label={texts.note}
          hint={texts.noteHint}
          value={text}
          // Another text is another note; the same one is sent again under its key after a lost answer.
          onChange={(typed) => draft.change({ text: typed, key: crypto.randomUUID() })}
          maxLength={MAX_NOTE}
          rows={4}
        />
      </DraftForm>
    </Dialog>
  );
}
