import { type DynamicModule, Module } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Database } from '@offizin/pg/database';
import { OutboxRelay } from '@offizin/pg/outbox-relay';
import { DirectoryHandlers } from './directory/directory.handlers';
import { DirectoryProjection } from './directory/projection';
import { DataKeys } from './documents/data-keys.store';
import { DocumentFetcher } from './documents/document-fetcher';
import { ApprovalHandlers } from './order-requests/approval.handlers';
import { ReviewHandlers } from './order-requests/review.handlers';
import { SubmissionHandlers } from './order-requests/submission.handlers';
import { OrdersHandlers } from './orders/orders.handlers';

/** What main.ts made, and every handler may ask for. */
export interface OrderCoreParts {
  database: Database;
  bus: Bus;
  relay: OutboxRelay;
  projection: DirectoryProjection;
  dataKeys: DataKeys;
  fetcher: DocumentFetcher;
}

@Module({})
export class OrderCoreModule {
  static with(parts: OrderCoreParts): DynamicModule {
    return {
      module: OrderCoreModule,
      controllers: [OrdersHandlers, SubmissionHandlers, ReviewHandlers, ApprovalHandlers, DirectoryHandlers],
      providers: [
        { provide: Database, useValue: parts.database },
        { provide: Bus, useValue: parts.bus },
        { provide: OutboxRelay, useValue: parts.relay },
        { provide: DirectoryProjection, useValue: parts.projection },
        { provide: DataKeys, useValue: parts.dataKeys },
        { provide: DocumentFetcher, useValue: parts.fetcher },
      ],
    };
  }
}
