import type { Row } from '../row';
import { orderReadRows } from './order-reads';
import { orderWriteRows } from './order-writes';

/** Every row, in the order of the table. The list at 10 million stands last among the orders: it takes longest to seed. */
export const ALL_ROWS: readonly Row[] = [...orderWriteRows, ...orderReadRows];
