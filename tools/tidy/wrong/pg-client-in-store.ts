// as: apps/order-core/orders/wrong-example.store.ts
// bites: @typescript-eslint/no-restricted-imports
import { Pool } from 'pg';

export const pool = new Pool();
