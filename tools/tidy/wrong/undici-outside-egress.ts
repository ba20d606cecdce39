// as: apps/webhook-worker/deliveries/wrong-example.ts
// bites: @typescript-eslint/no-restricted-imports
import 'undici';
