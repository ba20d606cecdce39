// as: apps/order-core/orders/wrong-example.handlers.ts
// bites: @typescript-eslint/no-restricted-imports
import 'typeorm';
