import type { QueryResultRow } from 'pg';
import { type ArgsOf, type Params, type Sql, statement } from './database';

/** One statement as a function. `name` is unique in the service, as of `statement`. */
type Query<P extends Params, Result> = (sql: Sql, ...args: ArgsOf<P>) => Promise<Result>;

export function rowsOf<Row extends QueryResultRow, P extends Params>(
  name: string,
  text: string,
): Query<P, Row[]> {
  const query = statement<Row, P>(name, text);
  return (sql, ...args) => sql.rows(query, ...args);
}

/** The first row; null without one. */
export function rowOf<Row extends QueryResultRow, P extends Params>(
  name: string,
  text: string,
): Query<P, Row | null> {
  const rows = rowsOf<Row, P>(name, text);
  return async (sql, ...args) => (await rows(sql, ...args))[0] ?? null;
}

/** The number of rows that the statement returns. */
export function countOf<P extends Params>(name: string, text: string): Query<P, number> {
  const rows = rowsOf<QueryResultRow, P>(name, text);
  return async (sql, ...args) => (await rows(sql, ...args)).length;
}

/** Whether the statement returns a row. */
export function isHitOf<P extends Params>(name: string, text: string): Query<P, boolean> {
  const count = countOf<P>(name, text);
  return async (sql, ...args) => (await count(sql, ...args)) > 0;
}

export function changeOf<P extends Params>(name: string, text: string): Query<P, void> {
  const rows = rowsOf<never, P>(name, text);
  return async (sql, ...args) => {
    await rows(sql, ...args);
  };
}

/** The only column of each row. */
export function valuesOf<Value, P extends Params>(name: string, text: string): Query<P, Value[]> {
  const rows = rowsOf<Record<string, Value>, P>(name, text);
  return async (sql, ...args) => (await rows(sql, ...args)).flatMap((row) => Object.values(row));
}

/** The only column of the first row; `otherwise` without a row or value. */
export function valueOf<Value, P extends Params>(
  name: string,
  text: string,
  otherwise: Value,
): Query<P, Value> {
  const values = valuesOf<Value | null, P>(name, text);
  return async (sql, ...args) => (await values(sql, ...args))[0] ?? otherwise;
}

/** An array for each field: parameters of `unnest`. */
export type ColumnsOf<Row> = { [Field in keyof Row]: Row[Field][] };

export function columnsOf<Row, Field extends keyof Row>(
  rows: readonly Row[],
  ...fields: Field[]
): ColumnsOf<Pick<Row, Field>> {
  const columns = fields.map((field) => [field, rows.map((row) => row[field])] as const);
  return Object.fromEntries(columns) as ColumnsOf<Pick<Row, Field>>;
}

/** Columns of a row that a condition of the statement keeps from being null. */
export type NotNull<Row, Column extends keyof Row> = { [Each in Column]: NonNullable<Row[Each]> };

/** Columns of a row that an outer join may not find. */
export type OuterJoined<Row> = { [Each in keyof Row]: Row[Each] | null };

/** A row of the contract as PostgreSQL returns it: its times are dates. */
export type Timed<Row, Time extends keyof Row> = Omit<Row, Time> & {
  [Field in Time]: null extends Row[Field] ? Date | null : Date;
};

type IsoTimes<Row> = {
  [Field in keyof Row]: Date extends Row[Field] ? string | Exclude<Row[Field], Date> : Row[Field];
};

/** As the contract shows it: its times are ISO texts. */
export function withIsoTimes<Row extends object>(row: Row): IsoTimes<Row> {
  const shown = Object.entries(row).map(([name, value]: [string, unknown]) => {
    return [name, value instanceof Date ? value.toISOString() : value] as const;
  });
  return Object.fromEntries(shown) as IsoTimes<Row>;
}
