import { type ReactNode, type SubmitEvent, useState } from 'react';
import type { MessageTemplate } from './review-settings';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { useTexts } from '../text/texts';
import css from './dialogs.module.css';
import { Templates } from './templates';

interface Props {
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
export function TextDialog({ title, label, hint, submit, maxLength, templates = [], ...rest }: Props) {
  const texts = useTexts().requests;
  const { children, onSubmit, onClose } = rest;
  const [text, setText] = useState('');
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
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="main" type="submit" isDisabled={given === ''}>
            {submit}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
