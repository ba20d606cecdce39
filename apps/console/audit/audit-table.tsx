import { RowGrid, TextCell } from '../controls/row-grid';
import type { ListedRows } from '../controls/row-window';
import { useFormats } from '../text/texts';
import type { Entry } from './audit.calls';
import css from './audit-table.module.css';
import { useAuditTexts } from './audit-texts';
import { type Names, useEntryText } from './use-entry-text';

/** Height of a card in px. */
const CARD_PX = 76;
const COLUMNS = ['at', 'who', 'what', 'object'] as const;

interface Props extends ListedRows<Entry> {
  names: Names;
  total: number;
  onOpen: (id: string) => void;
}

export function AuditTable({ names, ...list }: Props) {
  const texts = useAuditTexts();
  return (
    <RowGrid
      {...list}
      label={texts.title}
      className={css.table ?? ''}
      columns={COLUMNS.map((column) => ({ name: texts.column[column], className: css[column] }))}
      cardPx={CARD_PX}
      cells={(entry) => <Cells entry={entry} names={names} />}
    />
  );
}

function Cells({ entry, names }: { entry: Entry; names: Names }) {
  const formats = useFormats();
  const { who, what, which } = useEntryText(names);
  return (
    <>
      <span role="gridcell" className={css.at}>
        <time dateTime={entry.at} title={formats.exact(entry.at)}>
          {formats.dateTime(entry.at)}
        </time>
      </span>
      <TextCell className={css.who} text={who(entry.actor)} />
      <TextCell className={css.what} text={what(entry.action)} />
      <TextCell className={css.object} text={which(entry.object)} />
    </>
  );
}
