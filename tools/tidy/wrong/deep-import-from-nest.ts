// as: apps/gateway/wrong-example.ts
// bites: @typescript-eslint/no-restricted-imports
import '@nestjs/common/exceptions';
