// as: apps/gateway/wrong-example.ts
// bites: nothing
import { Module } from '@nestjs/common';

@Module({})
export class GatewayModule {}
