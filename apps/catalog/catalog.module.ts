import { type DynamicModule, Module } from '@nestjs/common';
import { DirectoryReplica } from '@offizin/directory/replica';
import { Database } from '@offizin/pg/database';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { AssortmentHandlers } from './assortment/assortment.handlers';
import { CatalogProductsHandlers } from './catalog-products/catalog-products.handlers';
import { InventoryHandlers } from './inventory/inventory.handlers';
import { StockListHandlers } from './inventory/stock-list.handlers';
import { OrderEventsHandlers } from './order-events/order-events.handlers';
import { type AskFourEyes, FourEyesGuard } from './products/four-eyes';
import { ProductsHandlers } from './products/products.handlers';
import { ReservationsHandlers } from './reservations/reservations.handlers';
import { ShopProductsHandlers } from './shop-products/shop-products.handlers';
import { ShopDirectory, ShopsHandlers } from './shops/shops.handlers';

export interface CatalogParts {
  database: Database;
  relay: OutboxRelay;
  directory: DirectoryReplica;
  askFourEyes: AskFourEyes;
}

@Module({
  controllers: [
    ShopsHandlers,
    ProductsHandlers,
    ShopProductsHandlers,
    AssortmentHandlers,
    InventoryHandlers,
    StockListHandlers,
    CatalogProductsHandlers,
    ReservationsHandlers,
    OrderEventsHandlers,
  ],
})
export class CatalogModule {
  static with({ database, relay, directory, askFourEyes }: CatalogParts): DynamicModule {
    return {
      module: CatalogModule,
      providers: [
        { provide: Database, useValue: database },
        { provide: OutboxRelay, useValue: relay },
        { provide: ShopDirectory, useValue: new ShopDirectory(directory) },
        { provide: FourEyesGuard, useValue: new FourEyesGuard(askFourEyes) },
      ],
    };
  }
}
