import { type ReactNode, Suspense, useRef } from 'react';
import { Button } from '../controls/button';
import { PlotFigure, PlotTable } from '../plots/plot-figure';
import { saveFile } from '../lists/saved-file';
import { useLanguage } from '../text/texts';
import { useReportTexts } from './report-texts';
import { type Cell, tableCsv } from './table-csv';
import css from './reports.module.css';

export interface Column {
  name: string;
  /** How its numbers are written in the table; the CSV has them plain. */
  written?: (value: number) => string;
}

interface Props {
  title: string;
  note: string;
  plot: ReactNode;
  columns: readonly Column[];
  /** The first cell names the row. */
  rows: readonly (readonly Cell[])[];
  /** How plot and table are called by the button between them. */
  asPlot?: string;
}

/** A plot with its table, to save and to print. */
export function ReportFigure({ title, note, plot, columns, rows, asPlot }: Props) {
  const texts = useReportTexts();
  const language = useLanguage();
  const card = useRef<HTMLDivElement>(null);
  const save = () => {
    const names = columns.map(({ name }) => name);
    saveFile(new Blob([tableCsv(names, rows, language)], { type: 'text/csv' }), `${title}.csv`);
  };
  const written = rows.map((row): [string, ...string[]] => {
    const [name = '', ...values] = row.map((cell, index) => writtenCell(cell, columns[index], texts.none));
    return [name, ...values];
  });
  return (
    <div className={css.card} ref={card}>
      <PlotFigure
        title={title}
        words={{ asTable: texts.asTable, asPlot: asPlot ?? texts.asPlot }}
        plot={<Suspense fallback={<div className={css.plotPlace} />}>{plot}</Suspense>}
        table={<PlotTable caption={note} columns={columns.map(({ name }) => name)} rows={written} />}
        acts={
          <>
            <Button kind="quiet" aria-label={texts.csvOf(title)} onPress={save}>
              {texts.csv}
            </Button>
            <Button kind="quiet" aria-label={texts.printOf(title)} onPress={() => printAlone(card.current)}>
              {texts.print}
            </Button>
          </>
        }
      />
    </div>
  );
}

function writtenCell(cell: Cell, column: Column | undefined, none: string): string {
  if (cell === null) return none;
  return typeof cell === 'number' ? (column?.written?.(cell) ?? String(cell)) : cell;
}

/** The style sheet leaves the others away. Printing waits for the person, and the mark is gone afterwards. */
function printAlone(card: HTMLElement | null): void {
  card?.setAttribute('data-alone', '');
  window.print();
  card?.removeAttribute('data-alone');
}
