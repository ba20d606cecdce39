import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type {
  DocumentKind,
  ReviewDetail,
  ReviewMarks,
  ReviewMarksBody,
} from '@offizin/contracts/requests/review';
import { Button } from '../../controls/button';
import { Key } from '../../controls/key';
import { Picker } from '../../controls/picker';
import { ApiError } from '../../calls/api';
import { sentenceOf } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { useFormats, useTexts } from '../../text/texts';
import { isAsked, type MarkName, withChange, withoutChange } from './open-marks';
import type { Progress } from './looks';
import { requestDetail, saveMarks } from './requests.calls';
import css from './review.module.css';
import { usePlanTexts } from './plan-texts';

interface Props {
  detail: ReviewDetail;
  /** Those that the organization asks for. */
  names: readonly MarkName[];
  /** What the document's text says it is; the person may set it. */
  foundKind: DocumentKind | null;
  /** Of the document, and how many of them have been on the screen. */
  pages: { count: number; seen: readonly number[] };
  /** YYYY-MM-DD: the date of issue that the document's text names. */
  foundDay: string | null;
  canChange: boolean;
  /**
   * Only what has been on the screen can be marked: the request with its prescription, or all but its further pages.
   */
  progress: Progress;
}

/** The marks before it have 1 to 3. */
const DAY_KEY = '4';
const REST_KEY = '5';

/** What the pharmacist has checked personally. Saved immediately, stored with the decision. */
export function Marks({ detail, names, foundKind, foundDay, pages, canChange, progress }: Props) {
  const texts = useTexts();
  const plan = usePlanTexts();
  const isSeen = progress === 'armed';
  const isRestOpen = isSeen || progress === 'pages-unseen';
  const formats = useFormats();
  const { mutate, error, marksNow } = useSavedMarks(detail);
  const whole = useRef<HTMLDivElement>(null);
  const change = (body: ReviewMarksBody) => {
    if (!canChange || !(isSeen || (isRestOpen && body.rest_not_needed !== undefined))) return;
    // A key also reaches marks that are scrolled away.
    whole.current?.scrollIntoView({ block: 'nearest' });
    mutate({ ...body, version: detail.version });
  };
  const toggle = (name: MarkName | 'rest_not_needed') => {
    change({ [name]: !marksNow()[name] });
  };
  const kind = detail.marks.document_kind ?? foundKind;
  const rows = names.flatMap((name, index) =>
    isAsked(name, kind) ? [{ name, key: String(index + 1), note: '' }] : [],
  );
  const rest = plan.pagesSeen(pages.seen.length, pages.count);
  const all =
    pages.count > 1 ? [...rows, { name: 'rest_not_needed' as const, key: REST_KEY, note: rest }] : rows;
  const takeDay = () => {
    if (foundDay !== null && detail.marks.issued_on === null) change({ issued_on: foundDay });
  };
  useKeys('page', [
    ...all.map(({ name, key }) => ({
      keys: key,
      does: texts.requests.mark[name],
      run: () => {
        toggle(name);
      },
    })),
    { keys: DAY_KEY, does: plan.takeDay, run: takeDay },
  ]);
  return (
    <div ref={whole} className={css.marks}>
      <KindOf detail={detail} foundKind={foundKind} canChange={canChange && isSeen} onChange={change} />
      {all.map(({ name, key, note }) => (
        <label key={name} className={css.mark}>
          <input
            type="checkbox"
            checked={detail.marks[name]}
            disabled={!canChange}
            onChange={() => {
              toggle(name);
            }}
          />
          {texts.requests.mark[name]}
          <Key name={key} />
          {note !== '' && <span className={css.quiet}>{note}</span>}
          {detail.marks.colleagues
            .filter(({ marks }) => marks.includes(name))
            .map(({ by, at }) => (
              <span key={`${by} ${at}`} className={css.quiet}>
                {plan.markedBy(by, formats.dateTime(at))}
              </span>
            ))}
        </label>
      ))}
      <IssuedOn
        key={detail.marks.issued_on}
        value={detail.marks.issued_on}
        canChange={canChange && isSeen}
        onChange={change}
      />
      {canChange && foundDay !== null && detail.marks.issued_on === null && (
        <Button kind="quiet" shortcut={DAY_KEY} onPress={takeDay}>
          {plan.foundDay(formats.date(foundDay))}
        </Button>
      )}
      {error && <WhyNot error={error} />}
    </div>
  );
}

export function WhyNot({ error }: { error: Error }) {
  const texts = useTexts();
  const { edit } = usePlanTexts();
  const isOutdated = error instanceof ApiError && error.code === 'conflict';
  return <p role="alert">{isOutdated ? edit.markOnOlder : sentenceOf(error, texts)}</p>;
}

/** Saves one change after the other, so that no answer takes back a later key press. */
export function useSavedMarks({ id, marks: drawn }: ReviewDetail) {
  const client = useQueryClient();
  const { queryKey } = requestDetail(id);
  const saving = useMutation({
    mutationKey: ['marks', id],
    scope: { id: `marks ${id}` },
    mutationFn: (change: ReviewMarksBody) => saveMarks(id, change),
    // The box changes in the frame of the key press; a refusal brings it back with its reason.
    onMutate: (change) => {
      // An answer that is under way does not know it.
      void client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (shown) => shown && { ...shown, marks: withChange(shown.marks, change) });
      return before;
    },
    onError: (_error, change, before) => {
      client.setQueryData(queryKey, (shown) =>
        shown && before?.version === shown.version
          ? { ...shown, marks: withoutChange(shown.marks, change, before.marks) }
          : shown,
      );
      void client.invalidateQueries({ queryKey });
    },
    onSuccess: (marks: ReviewMarks) => {
      // An answer does not know the changes after it.
      if (client.isMutating({ mutationKey: ['marks', id] }) === 1)
        client.setQueryData(queryKey, (shown) => shown && { ...shown, marks });
    },
  });
  // A second key press may come before the first is drawn.
  return { ...saving, marksNow: () => client.getQueryData(queryKey)?.marks ?? drawn };
}

interface KindOfProps extends Pick<Props, 'detail' | 'foundKind' | 'canChange'> {
  onChange: (change: ReviewMarksBody) => void;
}

/** Marks and validity depend on it. */
function KindOf({ detail, foundKind, canChange, onChange }: KindOfProps) {
  const texts = useTexts().requests;
  const plan = usePlanTexts();
  const found = foundKind === null ? plan.kindUnknown : texts.kinds[foundKind];
  return (
    <div className={css.mark}>
      <span aria-hidden>{texts.kind}</span>
      <Picker
        label={texts.kind}
        choices={[
          { id: '', name: plan.foundKind(found) },
          ...KINDS.map((kind) => ({ id: kind, name: texts.kinds[kind] })),
        ]}
        chosen={detail.marks.document_kind ?? ''}
        isDisabled={!canChange}
        onChoose={(id) => onChange({ document_kind: KINDS.find((kind) => kind === id) ?? null })}
      />
    </div>
  );
}

const KINDS: readonly DocumentKind[] = ['private', 'electronic', 'narcotic', 'other'];

interface IssuedOnProps {
  value: string | null;
  canChange: boolean;
  onChange: (change: ReviewMarksBody) => void;
}

/** The browser's own field for a day: it knows the person's way of writing it. */
function IssuedOn({ value, canChange, onChange }: IssuedOnProps) {
  const { issuedOn } = usePlanTexts();
  const [typed, setTyped] = useState(value ?? '');
  return (
    <label className={css.mark}>
      {issuedOn}
      <input
        type="date"
        className={css.day}
        value={typed}
        disabled={!canChange}
        onChange={({ target }) => {
          setTyped(target.value);
        }}
        onBlur={() => {
          if (typed !== (value ?? '')) onChange({ issued_on: typed === '' ? null : typed });
        }}
      />
    </label>
  );
}
