// as: apps/order-core/orders/wrong-example.store.ts
// bites: nothing
import type { PoolClient } from 'pg';
import 'typeorm';
import '@offizin/pg/any-file';

export type Transaction = PoolClient;
