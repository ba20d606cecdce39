import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button';
import { DetailSection } from '../controls/detail-pane';
import figureCss from '../controls/figure.module.css';
import css from './plots.module.css';

interface Props {
  title: string;
  words: { asTable: string; asPlot: string };
  plot: ReactNode;
  table: ReactNode;
}

/** A plot with the table behind it. */
export function PlotFigure({ title, words, plot, table }: Props) {
  const [isTable, setTable] = useState(false);
  return (
    <DetailSection
      title={title}
      action={
        <span className={css.turn}>
          <Button kind="quiet" onPress={() => setTable(!isTable)}>
            {isTable ? words.asPlot : words.asTable}
          </Button>
        </span>
      }
    >
      {isTable ? <div className={css.table}>{table}</div> : plot}
    </DetailSection>
  );
}

interface TableProps {
  caption: string;
  columns: readonly string[];
  /** The first cell names the row. */
  rows: readonly (readonly [string, ...string[]])[];
}

export function PlotTable({ caption, columns, rows }: TableProps) {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={column} scope="col" className={index === 0 ? undefined : figureCss.figure}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values], row) => (
          <tr key={row}>
            <th scope="row">{name}</th>
            {values.map((value, index) => (
              <td key={index} className={figureCss.figure}>
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
