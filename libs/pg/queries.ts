import type { QueryResultRow } from 'pg';
import { type Sql, statement } from './database';

/** One statement as a function. `name` is unique in the service, as of `statement`. */
type Query<Params extends readonly unknown[], Result> = (sql: Sql, ...params: Params) => Promise<Result>;

export function rowsOf<Row extends QueryResultRow, Params extends readonly unknown[]>(
  name: string,
  text: string,
): Query<Params, Row[]> {
  const query = statement<Row, Params>(name, text);
  return (sql, ...params) => sql.rows(query, ...params);
}

/** The first row; null without one. */
export function rowOf<Row extends QueryResultRow, Params extends readonly unknown[]>(
  name: string,
  text: string,
): Query<Params, Row | null> {
  const rows = rowsOf<Row, Params>(name, text);
  return async (sql, ...params) => (await rows(sql, ...params))[0] ?? null;
}

/** The number of rows that the statement returns. */
export function countOf<Params extends readonly unknown[]>(
  name: string,
  text: string,
): Query<Params, number> {
  const rows = rowsOf<QueryResultRow, Params>(name, text);
  return async (sql, ...params) => (await rows(sql, ...params)).length;
}

/** Whether the statement returns a row. */
export function isHitOf<Params extends readonly unknown[]>(
  name: string,
  text: string,
): Query<Params, boolean> {
  const count = countOf<Params>(name, text);
  return async (sql, ...params) => (await count(sql, ...params)) > 0;
}

export function changeOf<Params extends readonly unknown[]>(name: string, text: string): Query<Params, void> {
  const rows = rowsOf<never, Params>(name, text);
  return async (sql, ...params) => {
    await rows(sql, ...params);
  };
}

/** The only column of each row. */
export function valuesOf<Value, Params extends readonly unknown[]>(
  name: string,
  text: string,
): Query<Params, Value[]> {
  const rows = rowsOf<Record<string, Value>, Params>(name, text);
  return async (sql, ...params) => (await rows(sql, ...params)).flatMap((row) => Object.values(row));
}

/** The only column of the first row; `otherwise` without a row or value. */
export function valueOf<Value, Params extends readonly unknown[]>(
  name: string,
  text: string,
  otherwise: Value,
): Query<Params, Value> {
  const values = valuesOf<Value | null, Params>(name, text);
  return async (sql, ...params) => (await values(sql, ...params))[0] ?? otherwise;
}

/** The values of these fields, an array for each: parameters of `unnest`. */
export function columnsOf<Row, Field extends keyof Row>(
  rows: readonly Row[],
  ...fields: Field[]
): Row[Field][][] {
  return fields.map((field) => rows.map((row) => row[field]));
}

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
