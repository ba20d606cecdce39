import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import type { ReviewDetail, ReviewMarksBody } from '@offizin/contracts/review';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { ApiError } from '../shell/api';
import { sentenceOf } from '../shell/fault';
import { useSession } from '../shell/session.calls';
import { type Draft, useDraft } from '../shell/use-draft';
import { useTexts } from '../text/texts';
import { readableName } from '../text/customer-name';
import css from './dialogs.module.css';
import { LeaveButton } from '../shell/leave-button';
import { requestDetail, saveMarks } from './requests.calls';

interface Props {
  detail: ReviewDetail;
  onClose: () => void;
}

/** A note for staff, kept with the request. What was typed stays until it is saved. */
export function NoteDialog({ detail, onClose }: Props) {
  const texts = useTexts();
  const draft = useDraft(detail.id, 'note', detail.marks.note ?? '');
  const { value: text, change: setText } = draft;
  const { save, failure, isPending } = useSavedNote(detail, draft, onClose);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    save(text.trim());
  };
  const title = texts.deciding.noteTitle(readableName(detail.customer_name) ?? texts.requests.nameless);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form className={css.form} onSubmit={submit}>
        <Field
          autoFocus
          label={texts.deciding.note}
          hint={texts.deciding.noteHint}
          value={text}
          onChange={setText}
          maxLength={10_000}
          rows={5}
        />
        {failure !== null && <p role="alert">{failure}</p>}
        <DialogButtons>
          <LeaveButton draft={draft} onClose={onClose} />
          <Button kind="main" type="submit" isPending={isPending}>
            {texts.deciding.save}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function useSavedNote(
  { id, version: present }: ReviewDetail,
  { discard }: Draft<string>,
  onDone: () => void,
) {
  const texts = useTexts();
  const { org } = useSession();
  const client = useQueryClient();
  const { queryKey } = requestDetail(org.id, id);
  const [opened] = useState(present);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (body: ReviewMarksBody) => saveMarks(org.id, id, body),
    onSuccess: (marks) => {
      client.setQueryData(queryKey, (shown) => shown && { ...shown, marks });
      discard();
      onDone();
    },
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const isOlder = error instanceof ApiError && error.code === 'conflict';
  const failure = isOlder ? texts.deciding.noteOnOlder : error ? sentenceOf(error, texts) : null;
  const save = (note: string) => {
    // Once the person has read that there is a newer version, the note is meant for that one.
    mutate({ note: note === '' ? null : note, version: error ? present : opened });
  };
  return { save, failure, isPending };
}
