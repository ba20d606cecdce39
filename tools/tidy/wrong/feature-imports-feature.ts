// as: apps/order-core/orders/wrong-example.ts
// bites: offizin/feature-imports
import '../reports/any-file';
