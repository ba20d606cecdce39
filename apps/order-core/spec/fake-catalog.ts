import { Controller, Module } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { releaseHold, type ReserveResponse, reserveStock } from '@offizin/contracts/products/reservations';
import {
  productsForReview,
  type ReviewProduct,
  type ReviewProductsResponse,
} from '@offizin/contracts/requests/review-products';
import { brokerSpec, type SpecBroker } from './core-spec';

const fresh = () => ({
  /** The bodies of the calls that it received. */
  reserved: [] as Call<typeof reserveStock>['body'][],
  questions: [] as Call<typeof productsForReview>['body'][],
  reserve: (): Promise<ReserveResponse> => Promise.resolve({ held: true, short_p1_ids: [] }),
  products: (_p1Ids: readonly string[]): Promise<ReviewProduct[]> => Promise.resolve([]),
});

/** For specs only: the catalog holds everything and knows no product, unless a test sets another answer. */
export const catalog = fresh();

@Controller()
class CatalogHandlers {
  @Handles(reserveStock)
  async reserve({ body }: Call<typeof reserveStock>): Promise<Answer<ReserveResponse>> {
    catalog.reserved.push(body);
    return ok(await catalog.reserve());
  }

  @Handles(releaseHold)
  release(): Promise<Answer<{ released: boolean }>> {
    return Promise.resolve(ok({ released: true }));
  }

  @Handles(productsForReview)
  async products({ body }: Call<typeof productsForReview>): Promise<Answer<ReviewProductsResponse>> {
    catalog.questions.push(body);
    return ok({ products: await catalog.products(body.p1_ids) });
  }
}

@Module({ controllers: [CatalogHandlers] })
class CatalogModule {}

/** For specs only: as `brokerSpec`, with the catalog, whose answers are the usual ones before each test. */
export function catalogSpec(): SpecBroker {
  beforeEach(() => Object.assign(catalog, fresh()));
  return brokerSpec(CatalogModule);
}
