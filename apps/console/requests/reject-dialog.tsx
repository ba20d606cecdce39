import type { SubmitEvent } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import type { RejectBody } from '@offizin/contracts/order-request-review';
import type { RejectionReason } from '@offizin/contracts/order-requests';
import type { MessageTemplate } from '@offizin/contracts/review-settings';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { Key } from '../controls/key';
import { useKeys } from '../shell/keys';
import { useDraft } from '../shell/use-draft';
import { useTexts } from '../text/texts';
import css from './dialogs.module.css';
import { LeaveButton } from '../shell/leave-button';
import { Templates } from './templates';

/** In the order of the digits that choose them. */
const REASONS: readonly RejectionReason[] = [
  ...(['prescription_missing', 'prescription_unsigned', 'prescription_invalid'] as const),
  ...(['prescription_already_used', 'out_of_stock', 'customer_data_incomplete'] as const),
  ...(['suspected_misuse', 'price_mismatch', 'other'] as const),
];

const NOTHING = { reason: null as RejectionReason | null, note: '', message: '' };

interface Props {
  requestId: string;
  customer: string;
  templates: readonly MessageTemplate[];
  onReject: (body: RejectBody) => void;
  onClose: () => void;
}

export function RejectDialog({ requestId, customer, templates, onReject, onClose }: Props) {
  const texts = useTexts().requests;
  const draft = useDraft(requestId, 'reject', NOTHING);
  const { reason, note, message } = draft.value;
  const type = (change: Partial<typeof NOTHING>) => {
    draft.change({ ...draft.value, ...change });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (reason !== null)
      onReject({ reason, ...(note === '' ? {} : { note }), ...(message === '' ? {} : { message }) });
  };
  return (
    <Dialog title={texts.rejectTitle(customer)} isOpen onClose={onClose}>
      <form className={css.form} onSubmit={submit}>
        <Reasons
          chosen={reason}
          onChoose={(chosen) => {
            type({ reason: chosen });
          }}
        />
        <Field
          label={texts.noteForStaff}
          value={note}
          onChange={(text) => {
            type({ note: text });
          }}
          maxLength={10_000}
          rows={2}
        />
        <Field
          label={texts.messageForPartner}
          hint={texts.noHealthData}
          value={message}
          onChange={(text) => {
            type({ message: text });
          }}
          maxLength={10_000}
          rows={2}
        />
        <Templates
          templates={templates}
          text={message}
          onText={(text) => {
            type({ message: text });
          }}
        />
        <DialogButtons>
          <LeaveButton draft={draft} onClose={onClose} />
          <Button kind="danger" type="submit" isDisabled={reason === null}>
            {texts.reject}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

interface ReasonsProps {
  chosen: RejectionReason | null;
  onChoose: (reason: RejectionReason | null) => void;
}

function Reasons({ chosen, onChoose }: ReasonsProps) {
  const texts = useTexts().requests;
  useReasonKeys(onChoose);
  return (
    <RadioGroup
      className={css.reasons ?? ''}
      value={chosen}
      onChange={(value) => {
        onChoose(REASONS.find((each) => each === value) ?? null);
      }}
    >
      <Label className={css.label ?? ''}>{texts.rejectReason}</Label>
      {REASONS.map((each, index) => (
        <RadioField key={each} value={each}>
          <RadioButton className={css.reason ?? ''}>
            <span className={css.dot} />
            <span>{texts.reason[each]}</span>
            <Key name={String(index + 1)} />
          </RadioButton>
        </RadioField>
      ))}
    </RadioGroup>
  );
}

/** A digit chooses a reason. */
function useReasonKeys(onChoose: (reason: RejectionReason) => void): void {
  const texts = useTexts().requests;
  useKeys(
    'dialog',
    REASONS.map((reason, index) => ({
      keys: String(index + 1),
      does: texts.reason[reason],
      run: () => {
        onChoose(reason);
      },
    })),
  );
}
