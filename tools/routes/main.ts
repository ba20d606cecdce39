import { markdownTable } from '../docs/markdown-table';
import { routeTable } from './routes';

/** `npm run routes`: prints every operation; docs/routes.md is the same table. */
console.log(markdownTable(routeTable()));
