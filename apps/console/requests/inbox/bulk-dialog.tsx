import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReviewRow } from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { BulkHeld, BulkRefused } from '../../lists/bulk-steps';
import { useBulk } from '../../lists/use-bulk';
import { useSession } from '../../session/session.calls';
import { forgetDrafts } from '../../session/use-draft';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { RejectDialog, TextDialog } from '../review/partner-dialogs';
import { usePlanTexts } from '../review/plan-texts';
import { whyRefused } from '../review/refusal-toast';
import { type Choice, sendDecision } from '../review/requests.calls';
import { reviewSettings, templatesFor, templatesOf } from '../review/review-settings';
import { forgetTyped } from '../review/use-edits';
import { type BulkAct, useBulkTexts } from './bulk-texts';

/** Of what is typed for many requests. */
const DRAFT = 'bulk';

interface Props {
  rows: readonly ReviewRow[];
  /** Selected requests that take no question. */
  leftOut: number;
  act: BulkAct;
  /** With the ids of those that are done. */
  onClose: (done: readonly string[]) => void;
}

/** One question, or one rejection, for many requests. */
export default function BulkDialog({ rows, leftOut, act, onClose }: Props) {
  const { requests: texts } = useTexts();
  const { many, erased } = useBulkTexts();
  const given = usePlanTexts();
  const formats = useFormats();
  const { data: settings } = useQuery(reviewSettings);
  const [choice, setChoice] = useState<Choice | null>(null);
  if (choice) return <Sending rows={rows} choice={choice} onClose={onClose} />;
  const typed = {
    requestId: DRAFT,
    templates: settings ? templatesFor(act, templatesOf(settings, given)) : [],
    onClose: () => onClose([]),
  };
  const whom = many(rows.length, formats.number(rows.length));
  if (act === 'reject') {
    const onReject = (body: Extract<Choice, { kind: 'reject' }>['body']) => setChoice({ kind: act, body });
    const takesText = rows.some((row) => row.erased_at === null);
    return <RejectDialog {...typed} customer={whom} takesText={takesText} onReject={onReject} />;
  }
  return (
    <TextDialog
      {...typed}
      name="ask"
      title={texts.askTitle(whom)}
      label={texts.question}
      hint={texts.noHealthData}
      submit={texts.ask}
      maxLength={10_000}
      onSubmit={(question) => setChoice({ kind: 'ask', body: { question } })}
    >
      {leftOut > 0 && <p>{erased(leftOut, formats.number(leftOut))}</p>}
    </TextDialog>
  );
}

interface SendingProps extends Pick<Props, 'rows' | 'onClose'> {
  choice: Choice;
}

/** Rejecting asks with the count. Both are held as a decision about one request is; then each request gets its call. */
function Sending({ rows, choice, onClose }: SendingProps) {
  const { requests: texts, shell } = useTexts();
  const words = useBulkTexts();
  const formats = useFormats();
  const { settings } = useSession();
  const { bulk, begin } = useDecisions(rows, choice);
  const [isConfirmed, setConfirmed] = useState(choice.kind === 'ask');
  const act = choice.kind === 'ask' ? 'ask' : 'reject';
  const count = [rows.length, formats.number(rows.length)] as const;
  const close = () => {
    if (!bulk.isRunning) onClose(bulk.doneIds());
  };
  const { outcomes, refused, isRunning } = bulk;
  const title =
    act === 'ask' ? texts.askTitle(words.many(...count)) : texts.rejectTitle(words.many(...count));
  return (
    <Dialog title={title} isAlert isBusy={isRunning} onClose={close}>
      {!isConfirmed && (
        <>
          <p>{words.rejects(...count)}</p>
          <Button kind="danger" onPress={() => setConfirmed(true)}>
            {words.reject(...count)}
          </Button>
        </>
      )}
      {isConfirmed && !bulk.isBegun && (
        <BulkHeld
          text={words.held[act](...count)}
          undoMs={settings.undo_seconds * 1_000}
          onOver={begin}
          onUndo={close}
        />
      )}
      {bulk.isBegun && (
        <p role="status">
          {isRunning
            ? words.running(outcomes.length, rows.length)
            : words.done[act](rows.length - refused.length, refused.length)}
        </p>
      )}
      <BulkRefused
        bulk={bulk}
        label={words.refused}
        nameOf={({ customer_name: name }) => <strong>{readableName(name) ?? texts.nameless}</strong>}
      />
      <DialogButtons>
        <Button isDisabled={isRunning} onPress={close}>
          {bulk.isBegun ? shell.close : texts.cancel}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** Each request has its call, for the version in the list. */
function useDecisions(rows: readonly ReviewRow[], choice: Choice) {
  const texts = useTexts();
  const formats = useFormats();
  const client = useQueryClient();
  const bulk = useBulk(rows, ['requests']);
  const begin = () => {
    forgetDrafts(client, DRAFT);
    bulk.run(({ id, version }) => {
      const decision = { id, customer: '', key: crypto.randomUUID(), act: { ...choice, version } };
      return sendDecision(decision, false).then(
        () => {
          forgetTyped(client, decision);
          return null;
        },
        (error: unknown) => whyRefused(error, texts, formats),
      );
    });
  };
  return { bulk, begin };
}
