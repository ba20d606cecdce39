import type { Row } from '../row';
import { connectorRows } from './connector';
import { consoleRows } from './console';
import { consolePageRows } from './console-pages';
import { freshProcessRows } from './fresh-process';
import { liveRows } from './live';
import { mainJobRows } from './main-job';
import { naiveRow } from './naive';
import { orderBatchRows } from './order-batches';
import { orderReadRows } from './order-reads';
import { orderWriteRows } from './order-writes';
import { peerRows } from './peers';
import { productRows } from './products';
import { tokenRows } from './tokens';
import { webhookRows } from './webhooks';
import { wholeStackRows } from './whole-stack';

/** Every row, in the order of the table. */
export const ALL_ROWS: readonly Row[] = [
  ...mainJobRows,
  ...orderWriteRows,
  ...orderBatchRows,
  naiveRow,
  ...orderReadRows,
  ...productRows,
  ...peerRows,
  ...connectorRows,
  ...tokenRows,
  ...webhookRows,
  ...consoleRows,
  ...consolePageRows,
  ...liveRows,
  ...freshProcessRows,
  ...wholeStackRows,
];
