import { type AnsweredContent, changesOf } from '@offizin/contracts/requests/answer-changes';
import { answerSentences } from '@offizin/contracts/requests/answer-sentences';
import type { ReviewDetail, ReviewLine } from '@offizin/contracts/requests/review';
import { KeyedButtons } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { readableOf } from '../../text/customer-name';
import { type Formats } from '../../text/formats';
import { useFormats, useLanguage, useTexts } from '../../text/texts';
import { type EditedField, editedFields, type Edits, sentText } from '../edits/edits';
import styles from './review.module.css';
import { staleText } from '../hints/concerns';
import type { Editing } from './use-edits';
import { usePlanTexts } from './plan-texts';

export interface EditedProps {
  sent: ReviewDetail;
  editing: Editing;
  /** Null where nothing can be offered; as for a decision, everything must have been seen. */
  offering: { can: boolean; run: () => void } | null;
}

/** What the person has changed, beside what the partner sent. */
export default function EditsSection({ sent, editing, offering }: EditedProps) {
  const { shown, edits, problems, madeOn, editedBy, change, discard, reset } = editing;
  const texts = useTexts();
  const { edit, offer } = usePlanTexts();
  const formats = useFormats();
  const fields = editedFields(edits);
  if (fields.length === 0) return null;
  const title = editedBy === null ? edit.changedByYou : edit.changedBy(editedBy);
  return (
    <section className={styles.section} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {madeOn && <p className={styles.notice}>{staleText(madeOn.version, sent.version, edit)}</p>}
      <dl className={styles.changes}>
        {fields.map((field) => (
          <ChangedField
            key={field}
            name={texts.requests.field[nameOf(field)] ?? field}
            values={valuesOf(field, sent, edits, formats)}
            problems={problems.filter(isAbout(field))}
            onReset={() => {
              reset(field);
            }}
          />
        ))}
      </dl>
      <PartnerReads sent={sent} approved={shown} />
      {offering && <KeyedButtons acts={[{ keys: 'p', does: offer.does, ...offering }]} />}
      {madeOn && (
        <div className={styles.chips}>
          <Button
            onPress={() => {
              change(edits);
            }}
          >
            {edit.takeOver}
          </Button>
          <Button kind="quiet" onPress={discard}>
            {texts.deciding.discard}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The sentences that the approval makes the partner read. */
function PartnerReads({ sent, approved }: { sent: ReviewDetail; approved: ReviewDetail }) {
  const { edit } = usePlanTexts();
  const language = useLanguage();
  const sentences = answerSentences(changesOf(answeredIn(sent), answeredIn(approved)), language);
  if (sentences.length === 0) return null;
  return (
    <p className={styles.quiet}>
      <strong>{edit.partnerReads}</strong> <bdi>{sentences.map((one) => readableOf(one)).join(' ')}</bdi>
    </p>
  );
}

function answeredIn({ lines, total_amount, payload }: ReviewDetail): AnsweredContent {
  return { items: lines, total_amount, fields: payload };
}

interface ChangedFieldProps {
  name: string;
  values: readonly Value[];
  /** Of the server. */
  problems: Editing['problems'];
  onReset: () => void;
}

function ChangedField({ name, values, problems, onReset }: ChangedFieldProps) {
  const { edit } = usePlanTexts();
  return (
    <div className={styles.change}>
      <dt>{name}</dt>
      <dd>
        {values.map(([tag, text]) =>
          tag === 'del' ? <del key={text}>{text}</del> : <ins key={text}>{text}</ins>,
        )}
        {problems.map(({ field, message }) => (
          <span key={field} className={styles.problem} role="alert">
            {edit.refusedValue(field, message)}
          </span>
        ))}
      </dd>
      <dd>
        <Button kind="quiet" onPress={onReset} aria-label={edit.resetField(name)}>
          {edit.reset}
        </Button>
      </dd>
    </div>
  );
}

type Value = ['del' | 'ins', string];

function valuesOf(field: EditedField, sent: ReviewDetail, edits: Edits, formats: Formats): Value[] {
  if (field === 'lines') return changedLines(sent.lines, edits.lines ?? [], formats);
  const isTotal = field === 'total_amount';
  const before = isTotal ? formats.money(sent.total_amount) : readableOf(sentText(sent, field));
  const after = isTotal ? formats.money(edits.total_amount ?? 0) : (edits[field] ?? '');
  const both: Value[] = [
    ['del', before],
    ['ins', after],
  ];
  return both.filter(([, text]) => text !== '');
}

/** Only the lines that differ. */
function changedLines(
  before: readonly ReviewLine[],
  after: readonly ReviewLine[],
  formats: Formats,
): Value[] {
  const [left, right] = [before, after].map((lines) => lines.map((line) => lineText(line, formats)));
  const gone = (left ?? []).filter((text) => !right?.includes(text)).map((text): Value => ['del', text]);
  const come = (right ?? []).filter((text) => !left?.includes(text)).map((text): Value => ['ins', text]);
  return [...gone, ...come];
}

function lineText({ quantity, product_name, name, p1_id, price }: ReviewLine, formats: Formats): string {
  return `${quantity} × ${readableOf(product_name, name, p1_id)} (${formats.money(price)})`;
}

function isAbout(field: EditedField): (problem: { field: string }) => boolean {
  return ({ field: at }) => at === nameOf(field) || at.startsWith(`${nameOf(field)}[`);
}

function nameOf(field: EditedField): string {
  return field === 'lines' ? 'items' : field;
}
