// as: libs/bus/wrong-example.ts
// bites: @typescript-eslint/no-restricted-imports
import '@opentelemetry/api';
