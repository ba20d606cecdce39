// as: apps/gateway/wrong-example.ts
// bites: @typescript-eslint/no-restricted-imports
import { forwardRef } from '@nestjs/common';

export const late = forwardRef;
