import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReviewDetail, ReviewMarks, ReviewMarksBody } from '@offizin/contracts/review';
import { Button } from '../controls/button';
import { Key } from '../controls/key';
import { sentenceOf } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { useFormats, useTexts } from '../text/texts';
import type { MarkName } from './open-marks';
import { requestDetail, saveMarks } from './requests.calls';
import css from './review.module.css';

interface Props {
  detail: ReviewDetail;
  /** Those that the organization asks for. */
  names: readonly MarkName[];
  /** YYYY-MM-DD: the date of issue that the document's text names. */
  foundDay: string | null;
  canChange: boolean;
}

/** The marks before it have 1 to 3. */
const DAY_KEY = '4';

/** What the pharmacist has checked with own eyes. Saved at once, kept with the decision. */
export function Marks({ detail, names, foundDay, canChange }: Props) {
  const texts = useTexts();
  const formats = useFormats();
  const { mutate, error } = useSavedMarks(detail);
  const toggle = (name: MarkName) => {
    mutate({ [name]: !detail.marks[name] });
  };
  const takeDay = () => {
    if (canChange && foundDay !== null && detail.marks.issued_on === null) mutate({ issued_on: foundDay });
  };
  useKeys('page', [
    ...names.map((name, index) => ({
      keys: String(index + 1),
      does: texts.requests.mark[name],
      run: () => {
        if (canChange) toggle(name);
      },
    })),
    { keys: DAY_KEY, does: texts.requests.takeDay, run: takeDay },
  ]);
  return (
    <div className={css.marks}>
      {names.map((name, index) => (
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
          <Key name={String(index + 1)} />
        </label>
      ))}
      <IssuedOn
        key={detail.marks.issued_on}
        value={detail.marks.issued_on}
        canChange={canChange}
        onChange={mutate}
      />
      {canChange && foundDay !== null && detail.marks.issued_on === null && (
        <Button kind="quiet" shortcut={DAY_KEY} onPress={takeDay}>
          {texts.requests.foundDay(formats.date(foundDay))}
        </Button>
      )}
      {error && <p role="alert">{sentenceOf(error, texts)}</p>}
    </div>
  );
}

function useSavedMarks({ id }: ReviewDetail) {
  const { org } = useSession();
  const client = useQueryClient();
  const { queryKey } = requestDetail(org.id, id);
  return useMutation({
    mutationFn: (change: ReviewMarksBody) => saveMarks(org.id, id, change),
    // The box changes in the frame of the key press; a refusal brings it back with its reason.
    onMutate: (change) => {
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (shown) => shown && { ...shown, marks: { ...shown.marks, ...change } });
      return before;
    },
    onError: (_error, _change, before) => client.setQueryData(queryKey, before),
    onSuccess: (marks: ReviewMarks) => client.setQueryData(queryKey, (shown) => shown && { ...shown, marks }),
  });
}

interface IssuedOnProps {
  value: string | null;
  canChange: boolean;
  onChange: (change: ReviewMarksBody) => void;
}

/** The browser's own field for a day: it knows the person's way of writing it. */
function IssuedOn({ value, canChange, onChange }: IssuedOnProps) {
  const texts = useTexts().requests;
  const [typed, setTyped] = useState(value ?? '');
  return (
    <label className={css.mark}>
      {texts.issuedOn}
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
