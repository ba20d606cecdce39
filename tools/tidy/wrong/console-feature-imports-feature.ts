// as: apps/console/controls/wrong-feature.ts
// bites: offizin/feature-imports
import '../requests/any-file';
