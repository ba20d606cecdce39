import { type ReactNode, useRef } from 'react';
import { Form, type FormProps } from 'react-aria-components';
import { Button, type ButtonProps } from '../controls/button';
import { DialogButtons } from '../controls/dialog';
import { Key } from '../controls/key';
import { useKeys } from '../keyboard/keys';
import { LeaveButton } from '../session/leave-button';
import type { Draft } from '../session/use-draft';
import css from './draft-form.module.css';

interface Props extends Pick<FormProps, 'validationErrors' | 'validationBehavior'> {
  draft: Pick<Draft<unknown>, 'isKept' | 'discard'>;
  /** The word on the button. */
  does: string;
  kind?: ButtonProps['kind'];
  isReady?: boolean;
  isPending?: boolean;
  /** Nothing cancels a call that is under way. */
  isBusy?: boolean;
  /** Why it was not taken. */
  failure?: string | null;
  className?: string;
  onSend: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** The form of a dialog whose typed text is kept until it is sent or discarded. */
export function DraftForm({ draft, does, kind = 'main', onSend, onClose, ...props }: Props) {
  const { isReady = true, isPending = false, isBusy = false, failure = null, children, ...checks } = props;
  const form = useRef<HTMLFormElement>(null);
  const run = () => {
    // Not below another dialog, such as an alarm, which has no use for the key.
    const top = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1);
    if (top?.contains(form.current)) form.current?.requestSubmit();
  };
  // From where it writes no line; `Ctrl Enter` is the dialog's.
  useKeys('dialog', [{ keys: 'Enter', does, run }]);
  return (
    <Form
      className={css.form ?? ''}
      {...checks}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
      {failure !== null && <p role="alert">{failure}</p>}
      <DialogButtons>
        <LeaveButton draft={draft} onClose={onClose} isBusy={isBusy} />
        <Button kind={kind} type="submit" isPending={isPending} isDisabled={!isReady}>
          {does}
          <Key name="Ctrl Enter" />
        </Button>
      </DialogButtons>
    </Form>
  );
}
