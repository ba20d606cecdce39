// as: libs/pg/wrong-example.db.spec.ts
// bites: nothing
import 'pg';
import '@offizin/testkit/any-file';
