import type { ReactNode, SubmitEvent } from 'react';
import type { MessageTemplate } from '@offizin/contracts/review-settings';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { useDraft } from '../shell/use-draft';
import css from './dialogs.module.css';
import { LeaveButton } from '../shell/leave-button';
import { Templates } from './templates';

interface Props {
  requestId: string;
  /** Of the draft. */
  name: 'ask' | 'override';
  title: string;
  label: string;
  hint?: string;
  submit: string;
  maxLength: number;
  /** Texts for the field. */
  templates?: readonly MessageTemplate[];
  /** Stands above the field. */
  children?: ReactNode;
  onSubmit: (text: string) => void;
  onClose: () => void;
}

/** A dialog that takes one text: a question to the partner, or the reason of an override. */
export function TextDialog({
  requestId,
  name,
  title,
  label,
  hint,
  submit,
  maxLength,
  templates = [],
  ...rest
}: Props) {
  const { children, onSubmit, onClose } = rest;
  const draft = useDraft(requestId, name, '');
  const { value: text, change: setText } = draft;
  const given = text.trim();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    if (given !== '') onSubmit(given);
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form className={css.form} onSubmit={send}>
        {children}
        <Field
          autoFocus
          label={label}
          hint={hint}
          value={text}
          onChange={setText}
          maxLength={maxLength}
          rows={4}
        />
        <Templates templates={templates} text={text} onText={setText} />
        <DialogButtons>
          <LeaveButton draft={draft} onClose={onClose} />
          <Button kind="main" type="submit" isDisabled={given === ''}>
            {submit}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
