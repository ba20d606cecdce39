import type { ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../controls/button';
import { Dialog } from '../../controls/dialog';
import { ActButtons } from './act-buttons';
import css from './settings-form.module.css';
import type { Act } from './use-act';

interface Props {
  title: string;
  act: Pick<Act<never>, 'failure' | 'isPending'>;
  /** The word on the button. */
  does: string;
  isReady?: boolean;
  /** Sentences by the names of the fields. Without it the browser checks the fields. */
  mistakes?: Record<string, string>;
  /** Beside the button. */
  further?: ReactNode;
  onSend: (fields: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with fields, and one act that takes them. */
export function FormDialog({ title, act, does, isReady = true, mistakes, further, ...props }: Props) {
  const { onSend, onClose, children } = props;
  return (
    <Dialog title={title} isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        validationBehavior={mistakes ? 'aria' : 'native'}
        validationErrors={mistakes ?? {}}
        onSubmit={(event) => {
          event.preventDefault();
          onSend(new FormData(event.currentTarget));
        }}
      >
        {children}
        <ActButtons act={act} onClose={onClose}>
          {further}
          <Button kind="main" type="submit" isPending={act.isPending} isDisabled={!isReady}>
            {does}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
