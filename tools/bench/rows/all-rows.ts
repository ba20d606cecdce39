import type { Row } from '../row';
import { connectorRows } from './connector';
import { orderReadRows } from './order-reads';
import { orderWriteRows } from './order-writes';
import { productRows } from './products';
import { tokenRows } from './tokens';
import { webhookRows } from './webhooks';
import { wholeStackRows } from './whole-stack';

/** Every row, in the order of the table. */
export const ALL_ROWS: readonly Row[] = [
  ...orderWriteRows,
  ...orderReadRows,
  ...productRows,
  ...connectorRows,
  ...tokenRows,
  ...webhookRows,
  ...wholeStackRows,
];
