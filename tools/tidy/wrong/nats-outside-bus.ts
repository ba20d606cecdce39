// as: libs/directory/wrong-example.ts
// bites: @typescript-eslint/no-restricted-imports
import 'nats';
