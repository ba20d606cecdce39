import { ServiceConfig } from '@offizin/runtime/process-config';

/** The catalog needs nothing beyond what every service with a database needs. */
export class CatalogConfig extends ServiceConfig {}
