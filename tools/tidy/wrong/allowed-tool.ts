// as: tools/wrong-example.ts
// bites: nothing
import '@offizin/local-stack/any-file';
import '@offizin/testkit/any-file';
import '../apps/gateway/any-file';
import 'undici';

console.log('ready');
