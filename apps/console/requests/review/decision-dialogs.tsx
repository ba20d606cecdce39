import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DocumentKind, ReviewDetail, ReviewMarksBody } from '@offizin/contracts/requests/review';
import type { MessageTemplate, ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { Field } from '../../controls/field';
import { Key } from '../../controls/key';
import { useKeys } from '../../keyboard/keys';
import { DraftForm } from '../../lists/draft-form';
import { acknowledgedOf, type Concern } from '../hints/concerns';
import { ApiError } from '../../calls/api';
import { sentenceOf } from '../../messages/fault';
import { type Draft, useDraft } from '../../session/use-draft';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import css from './dialogs.module.css';
import { EditDialog } from './edit-dialog';
import { useSavedMarks, WhyNot } from './marks';
import { openMarks } from './open-marks';
import { OfferDialog, RejectDialog, TextDialog } from './partner-dialogs';
import { type Choice, requestDetail, saveMarks } from './requests.calls';
import { PlanDialog } from './plan-dialog';
import { usePlanTexts } from './plan-texts';
import { templatesFor, templatesOf } from './review-settings';
import type { ColleagueCheck, ParkedCheck } from './decision-checks';
import type { Editing } from './use-edits';

type ParkedName = 'parked-approve' | 'parked-ask' | 'parked-reject';
export type DialogName =
  'ask' | 'offer' | 'reject' | 'override' | 'stock' | 'edit' | 'note' | 'plan' | 'shared' | ParkedName;

interface Props {
  open: DialogName | null;
  /** As the partner sent it. */
  sent: ReviewDetail;
  editing: Editing;
  settings: ReviewSettings;
  /** What speaks against an approval. */
  concerns: readonly Concern[];
  /** The prescriber's telephone number in the document, if there is one. */
  phone: string | null;
  /** Of the document. */
  kind: DocumentKind | null;
  colleagues: ColleagueCheck;
  parked: ParkedCheck;
  onAct: (choice: Choice) => void;
  onApprove: () => void;
  onOpen: (dialog: DialogName) => void;
  onClose: () => void;
}

/** What a decision asks for before it is taken. */
export default function DecisionDialogs(props: Props) {
  const { open, sent, editing, settings, colleagues, onAct, onApprove, onOpen, onClose } = props;
  const { requests: texts, live } = useTexts();
  const plan = usePlanTexts();
  const { edit } = plan;
  const detail = editing.shown;
  const templates = templatesOf(settings, plan);
  const customer = readableName(detail.customer_name) ?? texts.nameless;
  switch (open) {
    case null:
      return null;
    case 'edit':
      return <EditDialog sent={sent} editing={editing} onClose={onClose} />;
    case 'shared':
      // The database decides who was first.
      return (
        <FirstDialog
          onClose={onClose}
          title={live.sharedTitle(customer)}
          text={live.shared(colleagues.names)}
          does={texts.approve}
          onDo={() => {
            colleagues.onAsked();
            onApprove();
          }}
        />
      );
    case 'stock':
      // Without stock there is nothing to override: the server refuses the approval.
      return (
        <FirstDialog
          onClose={onClose}
          title={live.sharedTitle(customer)}
          text={edit.lacksStock}
          does={texts.edit}
          onDo={() => onOpen('edit')}
        />
      );
    case 'plan':
      return <PlanDialog detail={detail} customer={customer} onClose={onClose} />;
    case 'note':
      return <NoteDialog detail={detail} onClose={onClose} />;
    case 'reject':
      return (
        <RejectDialog
          requestId={detail.id}
          customer={customer}
          takesText={detail.erased_at === null}
          templates={templatesFor('reject', templates)}
          onClose={onClose}
          onReject={(body) => onAct({ kind: 'reject', body })}
        />
      );
    case 'ask':
      return (
        <AskDialog
          {...props}
          detail={detail}
          customer={customer}
          templates={templatesFor('ask', templates)}
        />
      );
    case 'offer':
      return (
        <OfferDialog
          sent={sent}
          editing={editing}
          customer={customer}
          templates={templatesFor('ask', templates)}
          onClose={onClose}
          onOffer={(body) => onAct({ kind: 'offer', body })}
        />
      );
    case 'override':
      return <OverrideDialog {...props} detail={detail} customer={customer} />;
    default:
      return <ParkedDialog {...props} name={open} customer={customer} />;
  }
}

interface AskProps extends Pick<Props, 'phone' | 'onAct' | 'onClose'> {
  detail: ReviewDetail;
  customer: string;
  templates: readonly MessageTemplate[];
}

function AskDialog({ detail, customer, phone, templates, onAct, onClose }: AskProps) {
  const texts = useTexts().requests;
  const { prescriberPhone } = usePlanTexts();
  return (
    <TextDialog
      requestId={detail.id}
      name="ask"
      title={texts.askTitle(customer)}
      label={texts.question}
      hint={texts.noHealthData}
      submit={texts.ask}
      maxLength={10_000}
      templates={templates}
      onClose={onClose}
      onSubmit={(question) => {
        onAct({ kind: 'ask', body: { question } });
      }}
    >
      {phone !== null && <p>{prescriberPhone(phone)}</p>}
    </TextDialog>
  );
}

interface OverrideProps extends Pick<Props, 'concerns' | 'settings' | 'kind' | 'onAct' | 'onClose'> {
  detail: ReviewDetail;
  customer: string;
}

/** Asks for the reason of an override. Open marks can be set here; with the last concern gone, no reason is needed. */
function OverrideDialog({ customer, concerns, detail, settings, kind, onAct, onClose }: OverrideProps) {
  const texts = useTexts().requests;
  const { override } = usePlanTexts();
  const [asked] = useState(() => openMarks(detail, settings, kind));
  const { mutate, error, marksNow } = useSavedMarks(detail);
  const toggle = (name: (typeof asked)[number]) =>
    mutate({ [name]: !marksNow()[name], version: detail.version });
  useKeys(
    'dialog',
    asked.map((name, at) => ({ keys: String(at + 1), does: texts.mark[name], run: () => toggle(name) })),
  );
  const isRight = concerns.length === 0;
  // Of an erased request no reason is stored.
  const isComplete = isRight || detail.erased_at !== null;
  return (
    <TextDialog
      requestId={detail.id}
      name="override"
      title={isRight ? `${texts.approve}: ${customer}` : override.title(customer)}
      label={override.reason}
      submit={isRight ? texts.approve : override.does}
      maxLength={1_000}
      isComplete={isComplete}
      startsAbove={asked.length > 0}
      onClose={onClose}
      onSubmit={(reason) => {
        const body = isComplete ? {} : { acknowledged: acknowledgedOf(concerns), reason };
        onAct({ kind: 'approve', body });
      }}
    >
      <ul className={css.concerns}>
        {concerns
          .filter(({ code }) => code[0] !== 'mark' || !asked.includes(code[1]))
          .map(({ text }) => (
            <li key={text}>{text}</li>
          ))}
      </ul>
      {asked.map((name, at) => (
        <label key={name} className={css.mark}>
          <input type="checkbox" checked={detail.marks[name]} onChange={() => toggle(name)} />
          {texts.mark[name]}
          <Key name={String(at + 1)} />
        </label>
      ))}
      {error && <WhyNot error={error} />}
    </TextDialog>
  );
}

interface ParkedProps extends Pick<Props, 'parked' | 'onApprove' | 'onOpen' | 'onClose'> {
  name: ParkedName;
  customer: string;
}

/** Before a decision on a parked request: a colleague may wait for something. */
function ParkedDialog({ name, customer, parked, onApprove, onOpen, onClose }: ParkedProps) {
  const texts = useTexts().requests;
  const plan = usePlanTexts();
  const formats = useFormats();
  const act = PARKED_ACTS[name];
  return (
    <FirstDialog
      title={plan.parkedTitle(customer)}
      text={`${plan.parked(formats.dateTime(parked.until ?? ''))} ${plan.decideNow}`}
      does={texts[act]}
      onClose={onClose}
      onDo={() => {
        parked.onAsked();
        if (act === 'approve') onApprove();
        else onOpen(act);
      }}
    />
  );
}

const PARKED_ACTS = {
  'parked-approve': 'approve',
  'parked-ask': 'ask',
  'parked-reject': 'reject',
} as const satisfies Record<ParkedName, string>;

interface FirstDialogProps {
  title: string;
  text: string;
  does: string;
  onDo: () => void;
  onClose: () => void;
}

/** A notice that is shown once, before a request is approved. */
function FirstDialog({ title, text, does, onDo, onClose }: FirstDialogProps) {
  const { requests } = useTexts();
  return (
    <Dialog title={title} isAlert onClose={onClose}>
      <p>{text}</p>
      <DialogButtons>
        <Button onPress={onClose}>{requests.cancel}</Button>
        <Button kind="main" autoFocus onPress={onDo}>
          {does}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

interface NoteDialogProps {
  detail: ReviewDetail;
  onClose: () => void;
}

/** A note for staff, kept with the request. What was typed stays until it is saved. */
function NoteDialog({ detail, onClose }: NoteDialogProps) {
  const texts = useTexts();
  const { edit } = usePlanTexts();
  const draft = useDraft(detail.id, 'note', detail.marks.note ?? '');
  const { value: text, change: setText } = draft;
  const { save, failure, isPending } = useSavedNote(detail, draft, onClose);
  const title = edit.noteTitle(readableName(detail.customer_name) ?? texts.requests.nameless);
  return (
    <Dialog title={title} onClose={onClose}>
      <DraftForm
        className={css.form}
        draft={draft}
        does={texts.deciding.save}
        isPending={isPending}
        failure={failure}
        onSend={() => save(text.trim())}
        onClose={onClose}
      >
        <Field
          autoFocus
          label={texts.deciding.note}
          hint={edit.noteHint}
          value={text}
          onChange={setText}
          maxLength={10_000}
          rows={5}
        />
      </DraftForm>
    </Dialog>
  );
}

function useSavedNote(
  { id, version: present }: ReviewDetail,
  { discard }: Draft<string>,
  onDone: () => void,
) {
  const texts = useTexts();
  const { edit } = usePlanTexts();
  const client = useQueryClient();
  const { queryKey } = requestDetail(id);
  const [opened] = useState(present);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (body: ReviewMarksBody) => saveMarks(id, body),
    onSuccess: (marks) => {
      client.setQueryData(queryKey, (shown) => shown && { ...shown, marks });
      discard();
      onDone();
    },
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const isOlder = error instanceof ApiError && error.code === 'conflict';
  const failure = isOlder ? edit.noteOnOlder : error ? sentenceOf(error, texts) : null;
  const save = (note: string) => {
    // Once the person has read that there is a newer version, the note is meant for that one.
    mutate({ note: note === '' ? null : note, version: error ? present : opened });
  };
  return { save, failure, isPending };
}
