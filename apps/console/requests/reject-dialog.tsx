import { type SubmitEvent, useState } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import type { RejectBody } from '@offizin/contracts/order-request-review';
import type { MessageTemplate } from './review-settings';
import type { RejectionReason } from '@offizin/contracts/order-requests';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { Field } from '../controls/field';
import { Key } from '../controls/key';
import { useKeys } from '../shell/keys';
import { useTexts } from '../text/texts';
import css from './dialogs.module.css';
import { Templates } from './templates';

/** In the order of the digits that choose them. */
const REASONS: readonly RejectionReason[] = [
  ...(['prescription_missing', 'prescription_unsigned', 'prescription_invalid'] as const),
  ...(['prescription_already_used', 'out_of_stock', 'customer_data_incomplete'] as const),
  ...(['suspected_misuse', 'price_mismatch', 'other'] as const),
];

interface Props {
  customer: string;
  templates: readonly MessageTemplate[];
  onReject: (body: RejectBody) => void;
  onClose: () => void;
}

export function RejectDialog({ customer, templates, onReject, onClose }: Props) {
  const texts = useTexts().requests;
  const [reason, setReason] = useState<RejectionReason | null>(null);
  const [note, setNote] = useState('');
  const [message, setMessage] = useState('');
  useReasonKeys(setReason);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (reason !== null)
      onReject({ reason, ...(note === '' ? {} : { note }), ...(message === '' ? {} : { message }) });
  };
  return (
    <Dialog title={texts.rejectTitle(customer)} isOpen onClose={onClose}>
      <form className={css.form} onSubmit={submit}>
        <RadioGroup
          className={css.reasons ?? ''}
          value={reason}
          onChange={(value) => {
            setReason(REASONS.find((each) => each === value) ?? null);
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
        <Field label={texts.noteForStaff} value={note} onChange={setNote} maxLength={10_000} rows={2} />
        <Field
          label={texts.messageForPartner}
          hint={texts.noHealthData}
          value={message}
          onChange={setMessage}
          maxLength={10_000}
          rows={2}
        />
        <Templates templates={templates} text={message} onText={setMessage} />
        <DialogButtons>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="danger" type="submit" isDisabled={reason === null}>
            {texts.reject}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
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
