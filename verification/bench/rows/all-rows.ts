import type { Row } from '../row';
import { catalogRows } from './catalog';
import { consoleRows } from './console';
import { directoryRows } from './directory';
import { documentRows } from './documents';
import { loneCallerRows } from './lone-callers';
import { largestOrderReadRows, orderReadRows } from './order-reads';
import { orderWriteRows } from './order-writes';
import { requestRows } from './requests';
import { webhookRows } from './webhooks';
import { wholeStackRows } from './whole-stack';

/** Every row, in the order of the table. */
export const ALL_ROWS: readonly Row[] = [
  ...requestRows,
  ...documentRows,
  ...catalogRows,
  ...orderWriteRows,
  ...orderReadRows,
  ...loneCallerRows,
  ...webhookRows,
  ...consoleRows,
  ...directoryRows,
  ...wholeStackRows,
  ...largestOrderReadRows,
];
