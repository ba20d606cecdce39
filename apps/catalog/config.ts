import { ServiceConfig } from '@offizin/runtime/config';

/** The catalog needs nothing beyond what every service with a database needs. */
export class CatalogConfig extends ServiceConfig {}
