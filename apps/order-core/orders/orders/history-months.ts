/**
 * Months of the order history: partitions by the id of the order, a UUID v7 that rises with time. The primary key contains
 * it and stays unique over all partitions, and all entries of an order are together. A default partition takes what no
 * month does.
 */

/** Made ahead, besides the present month. */
const MONTHS_AHEAD = 3;
/** The first partition ends with the beginning of the month in its name (db/0001-schema.sql). */
const BEFORE = /^order_history_before_(\d{4})_(\d{2})$/;

export interface HistoryMonth {
  /** `order_history_2027_02` */
  name: string;
  /** Smallest id of the month, and of the next one. */
  from: string;
  to: string;
}

/** Those that are missing, of the present month (UTC) and of the next ones. */
export function missingMonths(partitions: readonly string[], now: Date): HistoryMonth[] {
  const covered = Math.max(...partitions.map(endOfEarlier));
  const present = now.getUTCFullYear() * 12 + now.getUTCMonth();
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, n) => present + n)
    .filter((month) => month >= covered)
    .map((month) => ({
      name: `order_history_${nameOf(month)}`,
      from: firstId(month),
      to: firstId(month + 1),
    }))
    .filter(({ name }) => !partitions.includes(name));
}

/** Months are counted from year 0. */
function endOfEarlier(partition: string): number {
  const [, year, month] = BEFORE.exec(partition) ?? [];
  return year === undefined || month === undefined ? -Infinity : Number(year) * 12 + Number(month) - 1;
}

function nameOf(month: number): string {
  return `${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, '0')}`;
}

/** 48 bits of milliseconds, then zeros. */
function firstId(month: number): string {
  const time = Date.UTC(Math.floor(month / 12), month % 12);
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
