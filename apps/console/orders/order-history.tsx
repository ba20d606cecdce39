import type { ReactNode } from 'react';
import type { OrderNote } from '@offizin/contracts/order-notes';
import type { PipelineHistoryEntry, PipelineOrder } from '@offizin/contracts/pipeline';
import { useFormats } from '../text/texts';
import { useOrderTexts } from './order-texts';
import { useValueText } from './use-value-text';
import css from './order-detail.module.css';

/** Changes, notes and marks in one list, newest first. */
export function OrderHistory({ order: { history, notes } }: { order: PipelineOrder }) {
  const entries = [
    ...history.map((entry) => ({
      at: entry.at,
      key: String(entry.sequence),
      shown: <Change entry={entry} />,
    })),
    ...notes.map((note) => ({ at: note.at, key: note.id, shown: <Note note={note} /> })),
  ].sort((one, other) => other.at.localeCompare(one.at));
  return (
    <ol className={css.history}>
      {entries.map(({ key, shown }) => (
        <li key={key}>{shown}</li>
      ))}
    </ol>
  );
}

/** Of more changed fields, as in a new order, the history shows only the number. */
const TOLD_CHANGES = 6;

function Change({ entry: { at, who, action, changes } }: { entry: PipelineHistoryEntry }) {
  const texts = useOrderTexts();
  const valueText = useValueText();
  const told = action === 'created' || changes.length > TOLD_CHANGES ? [] : changes;
  return (
    <>
      <Line at={at} who={who}>
        {texts.actions[action] ?? action}
      </Line>
      {told.map(({ field, old, new: now }) => (
        <div key={field} className={css.change}>
          {texts.field(field)}: {field === 'items' ? texts.changed : valueText(field, now)}
          {old !== null && field !== 'reason' && <del> {valueText(field, old)}</del>}
        </div>
      ))}
    </>
  );
}

function Note({ note: { at, who, kind, text } }: { note: OrderNote }) {
  const texts = useOrderTexts();
  return (
    <>
      <Line at={at} who={who}>
        {texts.noteKinds[kind]}
      </Line>
      {kind === 'note' && <div className={css.note}>{text ?? texts.noteErased}</div>}
    </>
  );
}

function Line({ at, who, children }: { at: string; who: string; children: ReactNode }) {
  const formats = useFormats();
  return (
    <>
      <time dateTime={at} title={formats.exact(at)}>
        {formats.dateTime(at)}
      </time>{' '}
      <bdi>{who}</bdi> · {children}
    </>
  );
}
