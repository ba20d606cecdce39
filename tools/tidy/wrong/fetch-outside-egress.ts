// as: apps/webhook-worker/deliveries/wrong-example.ts
// bites: no-restricted-globals
export const reply = fetch('https://example.org');
