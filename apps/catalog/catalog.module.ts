import { Module } from '@nestjs/common';
import { AssortmentHandlers } from './assortment/assortment.handlers';
import { CatalogProductsHandlers } from './catalog-products/catalog-products.handlers';
import { InventoryHandlers } from './inventory/inventory.handlers';
import { StockListHandlers } from './inventory/stock-list.handlers';
import { OrderEventsHandlers } from './order-events/order-events.handlers';
import { ProductsHandlers } from './products/products.handlers';
import { ReservationsHandlers } from './reservations/reservations.handlers';
import { ShopProductsHandlers } from './shop-products/shop-products.handlers';
import { ShopsHandlers } from './shops/shops.handlers';

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
export class CatalogModule {}
