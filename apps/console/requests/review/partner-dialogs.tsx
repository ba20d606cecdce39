import { type ReactNode, useRef, useState } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import { totalChange } from '@offizin/contracts/requests/answer-changes';
import { answerSentences } from '@offizin/contracts/requests/answer-sentences';
import type { OfferBody } from '@offizin/contracts/requests/offers';
import type { RejectBody } from '@offizin/contracts/requests/order-request-review';
import type { RejectionReason } from '@offizin/contracts/requests/order-requests';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import type { MessageTemplate } from '@offizin/contracts/requests/review-settings';
import { Button } from '../../controls/button';
import { Choice } from '../../controls/choice';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { Key } from '../../controls/key';
import { useKeys } from '../../keyboard/keys';
import { DraftForm } from '../../lists/draft-form';
import { useDraft } from '../../session/use-draft';
import { readableOf } from '../../text/customer-name';
import { useFormats, useLanguage, useTexts } from '../../text/texts';
import css from './dialogs.module.css';
import { usePlanTexts } from './plan-texts';
import type { Editing } from './use-edits';

/** In the order of the digits that choose them. */
const REASONS: readonly RejectionReason[] = [
  'prescription_missing',
  'prescription_unsigned',
  'prescription_invalid',
  'prescription_already_used',
  'out_of_stock',
  'customer_data_incomplete',
  'suspected_misuse',
  'price_mismatch',
  'other',
];

const NOTHING = { reason: null as RejectionReason | null, note: '', message: '' };

interface Props {
  requestId: string;
  customer: string;
  /** False for an erased request: the reason is all that is stored. */
  takesText: boolean;
  templates: readonly MessageTemplate[];
  onReject: (body: RejectBody) => void;
  onClose: () => void;
}

export function RejectDialog({ requestId, customer, takesText, templates, onReject, onClose }: Props) {
  const texts = useTexts().requests;
  const plan = usePlanTexts();
  const draft = useDraft(requestId, 'reject', NOTHING);
  const { reason, note, message } = draft.value;
  const type = (change: Partial<typeof NOTHING>) => {
    draft.change({ ...draft.value, ...change });
  };
  const send = () => {
    if (reason === null) return;
    if (!takesText) return onReject({ reason });
    onReject({ reason, ...(note === '' ? {} : { note }), ...(message === '' ? {} : { message }) });
  };
  return (
    <Dialog title={texts.rejectTitle(customer)} onClose={onClose}>
      <DraftForm
        className={css.form}
        draft={draft}
        does={texts.reject}
        kind="danger"
        isReady={reason !== null}
        onSend={send}
        onClose={onClose}
      >
        <Reasons
          chosen={reason}
          onChoose={(chosen) => {
            type({ reason: chosen });
          }}
        />
        {takesText && (
          <>
            <Field
              label={plan.noteForStaff}
              value={note}
              onChange={(text) => {
                type({ note: text });
              }}
              maxLength={10_000}
              rows={2}
            />
            <Field
              label={plan.messageForPartner}
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
          </>
        )}
      </DraftForm>
    </Dialog>
  );
}

interface ReasonsProps {
  chosen: RejectionReason | null;
  onChoose: (reason: RejectionReason | null) => void;
}

function Reasons({ chosen, onChoose }: ReasonsProps) {
  const texts = useTexts().requests;
  const { rejectReason } = usePlanTexts();
  useReasonKeys(onChoose);
  return (
    <RadioGroup
      className={css.reasons ?? ''}
      value={chosen}
      onChange={(value) => {
        onChoose(REASONS.find((each) => each === value) ?? null);
      }}
    >
      <Label className={css.label ?? ''}>{rejectReason}</Label>
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

interface TextDialogProps {
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
  /** Nothing is left to be said: there is no field. */
  isComplete?: boolean;
  /** Keys act on what stands above the field. */
  startsAbove?: boolean;
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
  isComplete = false,
  ...rest
}: TextDialogProps) {
  const { children, startsAbove = false, onSubmit, onClose } = rest;
  const draft = useDraft(requestId, name, '');
  const { value: text, change: setText } = draft;
  const given = text.trim();
  const canSend = isComplete || given !== '';
  return (
    <Dialog title={title} onClose={onClose}>
      <DraftForm
        className={css.form}
        draft={draft}
        does={submit}
        isReady={canSend}
        onSend={() => canSend && onSubmit(given)}
        onClose={onClose}
      >
        {children}
        {!isComplete && (
          <Field
            autoFocus={!startsAbove}
            label={label}
            hint={hint}
            value={text}
            onChange={setText}
            maxLength={maxLength}
            rows={4}
          />
        )}
        <Templates templates={templates} text={text} onText={setText} />
      </DraftForm>
    </Dialog>
  );
}

const OFFER_HOURS = ['24', '72', '168', '336'] as const;
const USUAL_OFFER = { sentence: '', hours: '72' as (typeof OFFER_HOURS)[number] };

interface OfferProps {
  sent: ReviewDetail;
  /** Its lines, delivery and total are offered. */
  editing: Editing;
  customer: string;
  templates: readonly MessageTemplate[];
  onOffer: (body: Omit<OfferBody, 'version'>) => void;
  onClose: () => void;
}

/** Offers the changed lines to the sender, with one sentence, for a time. */
export function OfferDialog({
  sent,
  editing: { shown, applied },
  customer,
  templates,
  onOffer,
  onClose,
}: OfferProps) {
  const texts = useTexts().requests;
  const { offer } = usePlanTexts();
  const draft = useDraft(shown.id, 'offer', USUAL_OFFER);
  const { sentence, hours } = draft.value;
  const type = (change: Partial<typeof USUAL_OFFER>) => draft.change({ ...draft.value, ...change });
  const send = () => {
    const items = shown.lines.map(({ name, p1_id, quantity, price }) => ({
      name,
      p1_id,
      qty: quantity,
      price,
    }));
    const { shipping_option: option } = applied;
    const question = sentence.trim();
    const given = { ...(option && { shipping_option: option }), ...(question !== '' && { question }) };
    onOffer({ items, total_amount: shown.total_amount, valid_hours: Number(hours), ...given });
  };
  return (
    <Dialog title={offer.title(customer)} onClose={onClose}>
      <DraftForm className={css.form} draft={draft} does={offer.does} onSend={send} onClose={onClose}>
        <p className={css.hint}>{offer.hint}</p>
        <OfferedLines sent={sent} offered={shown} />
        <Field
          autoFocus
          label={offer.sentence}
          hint={texts.noHealthData}
          value={sentence}
          onChange={(text) => type({ sentence: text })}
          maxLength={10_000}
          rows={2}
        />
        <Templates templates={templates} text={sentence} onText={(text) => type({ sentence: text })} />
        <Choice
          label={offer.valid}
          values={OFFER_HOURS.map((value) => ({ value, name: offer.hours[value] }))}
          selected={hours}
          onSelect={(chosen) => type({ hours: chosen })}
        />
      </DraftForm>
    </Dialog>
  );
}

/** With their total, and the sentence about it that the partner reads. */
function OfferedLines({ sent, offered: { lines, total_amount } }: Record<'sent' | 'offered', ReviewDetail>) {
  const texts = useTexts().requests;
  const { edit } = usePlanTexts();
  const formats = useFormats();
  const sentences = answerSentences(totalChange(sent.total_amount, total_amount), useLanguage());
  return (
    <>
      <ul className={css.concerns}>
        {lines.map(({ quantity, product_name, name, p1_id, price }, at) => (
          <li key={at}>
            {quantity} × <bdi>{readableOf(product_name, name, p1_id)}</bdi> ({formats.money(price)})
          </li>
        ))}
      </ul>
      <p>
        {texts.total}: {formats.money(total_amount)}
      </p>
      {sentences.length > 0 && (
        <p className={css.hint}>
          <strong>{edit.partnerReads}</strong> {sentences}
        </p>
      )}
    </>
  );
}

interface TemplatesProps {
  templates: readonly MessageTemplate[];
  /** What is in the field; a template is put below it. */
  text: string;
  onText: (text: string) => void;
}

/** The key of the templates acts in the field, too. */
const TEMPLATES_KEY = 'Ctrl m';

/** The organization's texts for partners, put into the field before it. A single one needs no choice. */
function Templates({ templates, text, onText }: TemplatesProps) {
  const { deciding } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const take = (template: MessageTemplate) => {
    onText(text.trim() === '' ? template.text : `${text.trimEnd()}\n${template.text}`);
    setOpen(false);
    whole.current?.previousElementSibling?.querySelector('textarea')?.focus();
  };
  const [first, second] = templates;
  const run = () => {
    if (first && !second) take(first);
    else setOpen(!isOpen);
  };
  useKeys('dialog', [{ keys: TEMPLATES_KEY, does: deciding.templates, run, hidden: !first }]);
  if (!first) return null;
  return (
    <div ref={whole} className={css.templates}>
      <Button kind="quiet" aria-expanded={isOpen} onPress={run}>
        {deciding.templates}
        <Key name={TEMPLATES_KEY} />
      </Button>
      {isOpen &&
        templates.map((template, at) => (
          <Button key={at} autoFocus={at === 0} onPress={() => take(template)}>
            {template.name}
          </Button>
        ))}
    </div>
  );
}
