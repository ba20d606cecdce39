import type { ReviewDetail } from '@offizin/contracts/requests/review';
import type { RequestTexts } from '../../text/requests.de';
import { useFormats, useTexts } from '../../text/texts';
import { compareVersions, furtherFields, type ReadValues, type SentField } from '../edits/version-diff';
import { documentName } from './documents';
import { usePlanTexts } from './plan-texts';
import css from './review.module.css';
import { Section } from './review-head';

/** What the partner sent and no other part shows: nothing of it is hidden. Remarks are beside the checks. */
export function SentFields({ detail }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  const plan = usePlanTexts();
  const { fields, metadata } = furtherFields(detail, useReadValues());
  const remarks = new Set(detail.remarks.map(({ field, line }) => `${line ?? ''} ${field}`));
  const isFurther = ({ field, line }: SentField) => !remarks.has(`${line ?? ''} ${field}`);
  const ofRequest = ({ field, line }: SentField) =>
    line === null ? fieldName(field, texts) : texts.sentLine(line, fieldName(field, texts));
  return [
    { title: plan.sentFields, rows: fields.filter(isFurther), label: ofRequest },
    { title: plan.metadata, rows: metadata.filter(isFurther), label: ({ field }: SentField) => field },
  ].map(
    ({ title, rows, label }) =>
      rows.length > 0 && (
        <Section key={title} title={title}>
          <dl className={css.changes}>
            {rows.map((row, index) => (
              <div key={index}>
                <dt>{label(row)}</dt>
                <dd>
                  <bdi>{row.value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      ),
  );
}

/** What the sender has changed since the version before, with the question about that one. */
export function Versions({ detail: { versions, documents } }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  const plan = usePlanTexts();
  const formats = useFormats();
  const read = useReadValues();
  const [before, present] = versions.slice(-2);
  if (!before || !present) return null;
  const changes = compareVersions(before.payload, present.payload, read);
  const added = documents.find(({ number, version }) => number > 1 && version === present.number);
  const at = formats.dateTime(present.created_at);
  return (
    <>
      {before.question !== null && <p className={css.quiet}>{texts.asked(before.question)}</p>}
      <p className={css.quiet}>
        {added
          ? plan.documentAdded(documentName(added, texts), at)
          : texts[before.question === null ? 'replaced' : 'answered'](at)}
      </p>
      {changes.length === 0 && !added && <p>{plan.nothingChanged}</p>}
      <dl className={css.changes}>
        {changes.map(({ field, from, to }) => (
          <div key={field}>
            <dt>{fieldName(field, texts)}</dt>
            <dd>
              {from !== '' && <del>{from}</del>} {to !== '' && <ins>{to}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function useReadValues(): ReadValues {
  return { formats: useFormats(), words: usePlanTexts().values };
}

/** A partner may call a field as it likes, also `constructor`. */
function fieldName(field: string, { field: names }: RequestTexts): string {
  return Object.hasOwn(names, field) ? (names[field] ?? field) : field;
}
