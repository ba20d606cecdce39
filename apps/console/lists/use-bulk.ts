import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AT_A_TIME, fewAtATime } from './bulk';

interface Outcome<Row> {
  row: Row;
  /** A sentence; null: it was done. */
  refusal: string | null;
}

export interface Bulk<Row> {
  outcomes: readonly Outcome<Row>[];
  refused: readonly { row: Row; refusal: string }[];
  isBegun: boolean;
  isRunning: boolean;
  doneIds: () => string[];
  /** `work` resolves with the reason of a refusal, or null. It must not reject. */
  run: (work: (row: Row) => Promise<string | null>) => void;
}

/** One act for many rows, a few at a time, with the outcome of each; then the lists below `queryKey` are read again. */
export function useBulk<Row extends { id: string }>(
  rows: readonly Row[],
  queryKey: readonly unknown[],
): Bulk<Row> {
  const client = useQueryClient();
  const [isBegun, setBegun] = useState(false);
  const [outcomes, setOutcomes] = useState<readonly Outcome<Row>[]>([]);
  const run = (work: (row: Row) => Promise<string | null>) => {
    setBegun(true);
    void fewAtATime(rows, AT_A_TIME, async (row) => {
      const refusal = await work(row);
      setOutcomes((before) => [...before, { row, refusal }]);
    }).then(() => client.invalidateQueries({ queryKey }));
  };
  return {
    outcomes,
    isBegun,
    run,
    refused: outcomes.flatMap(({ row, refusal }) => (refusal === null ? [] : [{ row, refusal }])),
    isRunning: isBegun && outcomes.length < rows.length,
    doneIds: () => outcomes.filter(({ refusal }) => refusal === null).map(({ row }) => row.id),
  };
}
