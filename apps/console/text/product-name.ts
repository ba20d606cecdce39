import { readableOf } from './customer-name';

/** A product, its name as it can be read. */
export function readableProduct<Product extends { name: string; p1_id: string }>(product: Product): Product {
  return { ...product, name: readableOf(product.name, product.p1_id) };
}
