import { lazy } from 'react';
import { useReportTexts } from './report-texts';
import { type Column, ReportFigure } from './report-figure';
import type { Cell } from './table-csv';

/** The library of plots is larger than the rest of the screen; the tiles are there before it. */
const Bars = lazy(() => import('../plots/bars'));

interface Props {
  title: string;
  note: string;
  bars: readonly { name: string; value: number }[];
  written: (value: number) => string;
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
}

/** Values by name; draws nothing without values. */
export function BarReport({ title, note, bars, written, columns, rows }: Props) {
  const texts = useReportTexts();
  const first = bars[0];
  if (!first) return null;
  const label = texts.barsLabel(title, `${first.name}, ${written(first.value)}`);
  return (
    <ReportFigure
      title={title}
      note={note}
      columns={columns}
      rows={rows}
      plot={<Bars label={label} bars={bars} written={written} />}
    />
  );
}
