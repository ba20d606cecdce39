import type { Row } from '../row';
import { mainJobCatalogRows } from './main-job-catalog';
import { mainJobDocumentRows } from './main-job-documents';
import { mainJobRequestRows } from './main-job-requests';
import { mainJobServiceRows } from './main-job-services';

/**
 * The main job: a platform hands in a prescription, a pharmacist reads and approves it, stock moves. Each row is a cost:
 * µs of a core per call of all processes together, which a busy machine moves least.
 */
export const mainJobRows: readonly Row[] = [
  ...mainJobRequestRows,
  ...mainJobDocumentRows,
  ...mainJobCatalogRows,
  ...mainJobServiceRows,
];
