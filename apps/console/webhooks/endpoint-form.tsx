import type { SyntheticEvent } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { ActButtons } from '../settings/act-buttons';
import css from '../settings/settings-form.module.css';
import type { Act } from '../settings/use-act';
import { type EndpointDraft, isComplete } from './endpoint-draft';
import { EndpointFields } from './endpoint-fields';
import { useWebhookTexts } from './webhook-texts';

interface Props {
  title: string;
  /** The word on the button. */
  does: string;
  draft: EndpointDraft;
  onChange: (draft: EndpointDraft) => void;
  act: Act<void>;
  onClose: () => void;
}

/** The fields of a new endpoint, or of one that is changed. */
export function EndpointForm({ title, does, draft, onChange, act, onClose }: Props) {
  const texts = useWebhookTexts();
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isComplete(draft)) act.run();
  };
  return (
    <Dialog title={title} isOpen isBusy={act.isPending} onClose={onClose}>
      <Form
        className={css.form ?? ''}
        onSubmit={submit}
        validationErrors={act.mistakes['url'] === undefined ? {} : { url: texts.noUrl }}
        validationBehavior="aria"
      >
        <EndpointFields draft={draft} change={(change) => onChange({ ...draft, ...change })} />
        <ActButtons act={act} onClose={onClose}>
          <Button kind="main" type="submit" isPending={act.isPending} isDisabled={!isComplete(draft)}>
            {does}
          </Button>
        </ActButtons>
      </Form>
    </Dialog>
  );
}
