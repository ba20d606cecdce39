import { useState } from 'react';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import { Choice } from '../../controls/choice';
import { Dialog } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { DraftForm } from '../../lists/draft-form';
import { type Draft as Kept, useDraft } from '../../session/use-draft';
import { useLanguage, useTexts } from '../../text/texts';
import { typedMoney } from '../../text/typed-money';
import css from './dialogs.module.css';
import {
  type Draft,
  draftOf,
  followedTotal,
  type Mistakes,
  readDraft,
  SHIPPING_OPTIONS,
} from '../edits/edit-form';
import { EditLines } from './edit-lines';
import { TEXT_FIELDS, type TextField } from '../edits/edits';
import { contentOf } from '../edits/first-approval';
import type { Editing } from './use-edits';
import { usePlanTexts } from './plan-texts';

interface Props {
  /** As the partner sent it. */
  sent: ReviewDetail;
  editing: Editing;
  onClose: () => void;
}

/** Corrections of a request before its approval. Nothing is sent from here. */
export function EditDialog({ sent: opened, editing, onClose }: Props) {
  const texts = useTexts();
  const { edit } = usePlanTexts();
  const amount = typedMoney(useLanguage());
  // As it was when the dialog was first opened: a new version must not be changed unseen.
  const kept = useDraft(opened.id, 'edit', { sent: opened, draft: draftOf(opened, editing.edits, amount) });
  const { sent } = kept.value;
  const form = useEditForm(kept, editing, onClose);
  return (
    <Dialog title={edit.editTitle(sent.customer_name ?? texts.requests.nameless)} onClose={onClose}>
      <DraftForm
        className={css.form}
        draft={kept}
        does={edit.apply}
        validationErrors={form.errors}
        validationBehavior="aria"
        onSend={form.submit}
        onClose={onClose}
      >
        <p className={css.hint}>{edit.editHint}</p>
        <EditLines
          lines={form.draft.lines}
          amount={amount}
          onChange={(lines) => {
            form.change({ lines });
          }}
        />
        {form.errors['items'] !== undefined && <p role="alert">{form.errors['items']}</p>}
        <Total
          sent={sent}
          draft={form.draft}
          onChange={(total) => {
            form.change({ total });
          }}
        />
        {opened.erased_at === null && (
          <div className={css.columns}>
            {TEXT_FIELDS.map((field) => (
              <EditedText key={field} field={field} draft={form.draft} onChange={form.change} />
            ))}
          </div>
        )}
        <Shipping draft={form.draft} onChange={form.change} />
      </DraftForm>
    </Dialog>
  );
}

/** Edits belong to the version that they were typed for. */
interface Edited {
  sent: ReviewDetail;
  draft: Draft;
}

type Change = (change: Partial<Draft>) => void;

function useEditForm(kept: Kept<Edited>, { problems, change: keep }: Editing, onDone: () => void) {
  const { edit } = usePlanTexts();
  const { sent, draft } = kept.value;
  const [errors, setErrors] = useState<Record<string, string>>(() =>
    Object.fromEntries(problems.map(({ field, message }) => [field, message])),
  );
  const submit = () => {
    const read = readDraft(sent, draft);
    if ('mistakes' in read) setErrors(sentences(read.mistakes, edit.mistake));
    else {
      keep(read.edits, contentOf(sent));
      onDone();
    }
  };
  const change: Change = (changed) => {
    kept.change({ sent, draft: { ...draft, ...changed } });
  };
  return { draft, errors, submit, change };
}

function sentences(mistakes: Mistakes, texts: Record<Mistakes[string], string>): Record<string, string> {
  return Object.fromEntries(Object.entries(mistakes).map(([field, mistake]) => [field, texts[mistake]]));
}

function Total({
  sent,
  draft,
  onChange,
}: {
  sent: ReviewDetail;
  draft: Draft;
  onChange: (total: string | null) => void;
}) {
  const { edit } = usePlanTexts();
  const amount = typedMoney(useLanguage());
  return (
    <Field
      label={edit.totalInEuros}
      hint={draft.total === null ? edit.totalFollows : undefined}
      name="total_amount"
      inputMode="decimal"
      maxLength={20}
      value={draft.total ?? amount(followedTotal(sent, draft))}
      onChange={onChange}
    />
  );
}

function EditedText({ field, draft, onChange }: { field: TextField; draft: Draft; onChange: Change }) {
  const { requests } = useTexts();
  return (
    <Field
      label={requests.field[field] ?? field}
      name={field}
      maxLength={255}
      autoComplete="off"
      value={draft.texts[field]}
      onChange={(text) => {
        onChange({ texts: { ...draft.texts, [field]: text } });
      }}
    />
  );
}

function Shipping({ draft, onChange }: { draft: Draft; onChange: Change }) {
  const { requests } = useTexts();
  const { edit } = usePlanTexts();
  const names = SHIPPING_OPTIONS.map((value) => ({ value, name: value }));
  return (
    <Choice<string>
      label={requests.field['shipping_option'] ?? ''}
      values={[...names, { value: '', name: edit.noShipping }]}
      selected={draft.shipping ?? ''}
      onSelect={(chosen) => {
        onChange({ shipping: SHIPPING_OPTIONS.find((option) => option === chosen) ?? null });
      }}
    />
  );
}
