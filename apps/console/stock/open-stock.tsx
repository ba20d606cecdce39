import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { StockItem } from '@offizin/contracts/products/stock';
import { ActionBar, KeyedButtons } from '../controls/action-bar';
import { DetailBody, DetailPane, DetailSection } from '../controls/detail-pane';
import { PlotFigure, PlotTable } from '../plots/plot-figure';
import { Fault } from '../messages/fault';
import { useBlocked } from '../session/use-blocked';
import { useFormats } from '../text/texts';
import { type AdjustKind, KINDS } from './adjustment';
import { daysOf, stepsOf } from './course-steps';
import { Level } from './level';
import { StockLog } from './stock-log';
import { useStockTexts } from './stock-texts';
import { stockItem } from './stock.calls';
import { Threshold } from './threshold';
import type { PieceCounter } from './use-stock-scans';
import css from './stock-detail.module.css';

const AdjustDialog = lazy(() => import('./adjust-dialog'));
/** The library of plots is larger than the rest of the screen; the figures are there before it. */
const StepPlot = lazy(() => import('../plots/step-plot'));

interface Props {
  id: string;
  onClose: () => void;
  /** The booking that is open. */
  asked: AdjustKind | null;
  onAsk: (kind: AdjustKind | null) => void;
  /** The code of the last pack that was scanned for it. */
  counted: string | null;
  takePieces: (counter: PieceCounter | null) => void;
}

/** The product on the screen. It is created for each product, so nothing of another one is left in it. */
export function OpenStock({ id, ...props }: Props) {
  const { onClose } = props;
  const texts = useStockTexts();
  const { data: item, dataUpdatedAt, error, refetch } = useQuery(stockItem(id));
  if (item) return <LoadedStock item={item} readAtMs={dataUpdatedAt} {...props} />;
  return (
    <DetailPane label={texts.product} back={texts.back} onClose={onClose} isBusy={!error}>
      {error && <Fault error={error} onAgain={() => void refetch()} />}
    </DetailPane>
  );
}

interface LoadedProps extends Omit<Props, 'id'> {
  item: StockItem;
  /** By this browser's clock. */
  readAtMs: number;
}

function LoadedStock({ item, readAtMs, onClose, asked, onAsk, counted, takePieces }: LoadedProps) {
  const texts = useStockTexts();
  const blocked = useBlocked('inventory.write', texts);
  const pzn = item.pzn === null ? null : texts.pzn(item.pzn);
  const facts = [item.p1_id, pzn, item.category].filter(Boolean).join(' · ');
  return (
    <DetailPane
      label={texts.product}
      back={texts.back}
      onClose={onClose}
      title={item.name}
      facts={<div className={css.quiet}>{facts}</div>}
    >
      <DetailBody label={texts.region}>
        <Figures item={item} canChange={blocked === null} />
        <Course item={item} readAtMs={readAtMs} />
        <StockLog item={item} canChange={blocked === null} />
      </DetailBody>
      <Acts blocked={blocked} onAsk={onAsk} />
      <Suspense>
        {asked && (
          <AdjustDialog
            key={asked}
            kind={asked}
            item={item}
            counted={counted}
            takePieces={takePieces}
            onKind={onAsk}
            onClose={() => onAsk(null)}
          />
        )}
      </Suspense>
    </DetailPane>
  );
}

function Figures({ item, canChange }: { item: StockItem; canChange: boolean }) {
  const texts = useStockTexts();
  const formats = useFormats();
  const figures = [
    { name: texts.column.available, pieces: item.available_quantity },
    { name: texts.column.reserved, pieces: item.reserved_quantity },
    { name: texts.column.quantity, pieces: item.stock_quantity },
  ];
  return (
    <DetailSection title={texts.figures}>
      <dl className={css.figures}>
        {figures.map(({ name, pieces }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formats.number(pieces)}</dd>
          </div>
        ))}
      </dl>
      <Level row={item} />
      <Threshold item={item} canChange={canChange} />
    </DetailSection>
  );
}

function Course({ item, readAtMs }: Pick<LoadedProps, 'item' | 'readAtMs'>) {
  const texts = useStockTexts();
  const formats = useFormats();
  const steps = stepsOf(item, readAtMs);
  const values = steps.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const label = texts.courseLabel(
    formats.number(least),
    formats.number(most),
    formats.number(item.stock_quantity),
  );
  return (
    <PlotFigure
      title={texts.course}
      words={texts}
      plot={
        <Suspense fallback={<div className={css.plotPlace} />}>
          <StepPlot label={label} steps={steps} mark={item.low_stock_threshold} />
        </Suspense>
      }
      table={
        <PlotTable
          caption={texts.dayNote}
          columns={[texts.day, texts.column.quantity]}
          rows={daysOf(item).map(({ at, stock_quantity: pieces }) => [
            formats.date(at),
            formats.number(pieces),
          ])}
        />
      }
    />
  );
}

function Acts({ blocked, onAsk }: { blocked: string | null; onAsk: (kind: AdjustKind) => void }) {
  const texts = useStockTexts();
  const acts = KINDS.map(({ kind, keys }) => ({
    keys,
    does: texts.adjust[kind],
    kind: kind === 'add' ? ('main' as const) : undefined,
    can: blocked === null,
    run: () => onAsk(kind),
  }));
  return (
    <ActionBar label={texts.acts} blocked={blocked}>
      <KeyedButtons acts={acts} />
    </ActionBar>
  );
}
