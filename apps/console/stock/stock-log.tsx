import { useInfiniteQuery } from '@tanstack/react-query';
import type { InventoryLogEntry } from '@offizin/contracts/products/inventory';
import type { StockItem } from '@offizin/contracts/products/stock';
import { Button } from '../controls/button';
import { Chip } from '../controls/chip';
import { DetailSection } from '../controls/detail-pane';
import figureCss from '../controls/figure.module.css';
import { Fault } from '../messages/fault';
import { useSession } from '../session/session.calls';
import { useFormats } from '../text/texts';
import { isUndo, oppositeOf, undoneIds } from './adjustment';
import { useStockTexts } from './stock-texts';
import { stockLog } from './stock.calls';
import css from './stock-detail.module.css';
import { useUndo } from './use-undo';

interface Props {
  item: StockItem;
  canChange: boolean;
}

/** Every change of the stock, newest first. */
export function StockLog({ item, canChange }: Props) {
  const texts = useStockTexts();
  const undo = useUndo(item.name);
  const log = useInfiniteQuery(stockLog(item.p1_id));
  const entries = (log.data?.pages ?? []).flatMap(({ data }) => data);
  const undone = undoneIds(entries);
  return (
    <DetailSection title={texts.log}>
      {log.isLoadingError && <Fault error={log.error} onAgain={() => void log.refetch()} />}
      {log.isSuccess && entries.length === 0 && <p className={css.quiet}>{texts.noLog}</p>}
      <ol className={css.log}>
        {entries.map((entry) => {
          const opposite = canChange && !undone.has(entry.id) ? oppositeOf(entry) : null;
          return (
            <Entry
              key={entry.id}
              entry={entry}
              isUndone={undone.has(entry.id)}
              onUndo={opposite && (() => undo(opposite))}
            />
          );
        })}
      </ol>
      {log.hasNextPage && (
        <Button kind="quiet" isPending={log.isFetchingNextPage} onPress={() => void log.fetchNextPage()}>
          {texts.moreLog}
        </Button>
      )}
    </DetailSection>
  );
}

interface EntryProps {
  entry: InventoryLogEntry;
  isUndone: boolean;
  /** Null when it cannot be taken back. */
  onUndo: (() => void) | null;
}

function Entry({ entry, isUndone, onUndo }: EntryProps) {
  const texts = useStockTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const { created_at: at, delta, reason, note, reference, actor } = entry;
  const signed = `${delta < 0 ? '−' : '+'}${formats.number(Math.abs(delta))}`;
  const name = isUndo(entry) ? texts.isUndo : texts.reason[reason];
  const who = actor === staff.id ? ` · ${texts.you}` : '';
  return (
    <li className={css.entry}>
      <strong className={figureCss.figure}>{signed}</strong>
      <div className={css.what}>
        <div>
          {name}, {texts.after(formats.number(entry.stock_after))} {isUndone && <Chip>{texts.undone}</Chip>}
        </div>
        <div className={css.quiet}>
          <time dateTime={at} title={formats.exact(at)}>
            {formats.dateTime(at)}
          </time>
          {who}
        </div>
        {reference !== null && !isUndo(entry) && (
          <div className={css.quiet}>
            {reason === 'sold' ? texts.order(reference) : texts.reference(reference)}
          </div>
        )}
        {note !== null && <div className={css.quiet}>{note}</div>}
      </div>
      {onUndo && (
        <Button kind="quiet" aria-label={texts.undoEntry(`${signed} ${name}`)} onPress={onUndo}>
          {texts.undo}
        </Button>
      )}
    </li>
  );
}
