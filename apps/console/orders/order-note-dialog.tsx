import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { sentenceOf } from '../shell/fault';
import { LeaveButton } from '../shell/leave-button';
import { renewKey } from '../shell/send-key';
import { useSession } from '../shell/session.calls';
import { useDraft } from '../shell/use-draft';
import { useTexts } from '../text/texts';
import { useOrderTexts } from './order-texts';
import { addNote, orderDetail } from './orders.calls';
import css from './order-detail.module.css';

/** As the server has it. */
const MAX_NOTE = 2_000;

interface Props {
  orderId: string;
  customer: string;
  onClose: () => void;
}

/** A note for staff. It is no change of the order, so it is saved at once and not held. */
export default function OrderNoteDialog({ orderId, customer, onClose }: Props) {
  const texts = useOrderTexts();
  const shared = useTexts();
  const [empty] = useState(() => ({ text: '', key: crypto.randomUUID() }));
  const draft = useDraft(orderId, 'note', empty);
  const { text, key } = draft.value;
  const { org } = useSession();
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (note: string) => addNote(org.id, orderId, note, key),
    onSuccess: (added) => {
      const { queryKey } = orderDetail(org.id, orderId);
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (given !== '') mutate(given);
  };
  return (
    <Dialog title={texts.noteTitle(customer)} isOpen isBusy={isPending} onClose={onClose}>
      <form className={css.form} onSubmit={submit}>
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
        {error && <p role="alert">{sentenceOf(error, shared)}</p>}
        <DialogButtons>
          <LeaveButton draft={draft} onClose={onClose} isBusy={isPending} />
          <Button kind="main" type="submit" isPending={isPending} isDisabled={given === ''}>
            {texts.saveNote}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
