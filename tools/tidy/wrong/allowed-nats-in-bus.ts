// as: libs/bus/wrong-example.ts
// bites: nothing
import 'nats';
import '@offizin/runtime/any-file';
