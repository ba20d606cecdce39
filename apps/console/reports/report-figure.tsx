import { type ReactNode, Suspense } from 'react';
import { PlotFigure, PlotTable } from '../plots/plot-figure';
import { useReportTexts } from './report-texts';
import css from './reports.module.css';

export type Cell = string | number | null;

export interface Column {
  name: string;
  written?: (value: number) => string;
}

interface Props {
  title: string;
  note: string;
  plot: ReactNode;
  columns: readonly Column[];
  /** The first cell names the row. */
  rows: readonly (readonly Cell[])[];
}

/** A plot with its table. */
export function ReportFigure({ title, note, plot, columns, rows }: Props) {
  const texts = useReportTexts();
  const written = rows.map((row): [string, ...string[]] => {
    const [name = '', ...values] = row.map((cell, index) => writtenCell(cell, columns[index], texts.none));
    return [name, ...values];
  });
  return (
    <div className={css.card}>
      <PlotFigure
        title={title}
        words={{ asTable: texts.asTable, asPlot: texts.asPlot }}
        plot={<Suspense fallback={<div className={css.plotPlace} />}>{plot}</Suspense>}
        table={<PlotTable caption={note} columns={columns.map(({ name }) => name)} rows={written} />}
      />
    </div>
  );
}

function writtenCell(cell: Cell, column: Column | undefined, none: string): string {
  if (cell === null) return none;
  return typeof cell === 'number' ? (column?.written?.(cell) ?? String(cell)) : cell;
}
