import { Type } from 'class-transformer';
import {
  IsArray,
  IsEmail,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Column, DataSource, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

/** Body and tables of the naive upsert: the rows that the product writes, in tables like its own (raw-tables.ts). */
class NaiveItem {
  @IsString() @MaxLength(200) name!: string;
  @IsNumber() @Min(1) qty!: number;
  @IsNumber() @Min(0) price!: number;
  @IsOptional() @IsString() p1_id?: string;
}

export class NaiveOrderBody {
  @IsUUID() org_id!: string;
  @IsUUID() shop_id!: string;
  @IsString() @MaxLength(200) external_id!: string;
  @IsOptional() @IsString() order_number?: string;
  @IsOptional() @IsString() customer_name?: string;
  @IsOptional() @IsEmail() customer_email?: string;
  @IsOptional() @IsString() address_street?: string;
  @IsOptional() @IsString() address_city?: string;
  @IsOptional() @IsString() address_postal_code?: string;
  @IsArray() @ValidateNested({ each: true }) @Type(() => NaiveItem) items!: NaiveItem[];
}

@Entity('orders')
class NaiveOrder {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') org_id!: string;
  @Column('uuid') shop_id!: string;
  @Column('text') external_id!: string;
  @Column('text', { nullable: true }) order_number!: string | null;
  @Column('text', { nullable: true }) customer_name!: string | null;
  @Column('text', { nullable: true }) customer_email!: string | null;
  @Column('text', { nullable: true }) address_street!: string | null;
  @Column('text', { nullable: true }) address_city!: string | null;
  @Column('text', { nullable: true }) address_postal_code!: string | null;
  @Column('numeric') total_amount!: number;
  @Column('boolean') total_is_given!: boolean;
  @Column('text') payment_status!: string;
  @Column('text') status!: string;
  @Column('jsonb') items!: object;
  @Column('integer') sequence!: number;
}

@Entity('order_history')
class NaiveHistory {
  @PrimaryColumn('uuid') order_id!: string;
  @PrimaryColumn('integer') sequence!: number;
  @Column('text') actor!: string;
  @Column('text') action!: string;
  @Column('jsonb') fields!: object;
}

@Entity('audit_log')
class NaiveAudit {
  @PrimaryGeneratedColumn() position!: number;
  @Column('uuid') org_id!: string;
  @Column('text') actor!: string;
  @Column('text') action!: string;
  @Column('text') object!: string;
  @Column('text') request_id!: string;
}

@Entity('outbox')
class NaiveEvent {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') org_id!: string;
  @Column('text') event_type!: string;
  @Column('text') aggregate_id!: string;
  @Column('integer') sequence!: number;
  @Column('text') topic!: string;
  @Column('text') body!: string;
}

export const naiveEntities = [NaiveOrder, NaiveHistory, NaiveAudit, NaiveEvent];

/** Finds, saves, and saves what goes with it, in one transaction. */
export async function saveOrder(dataSource: DataSource, body: NaiveOrderBody): Promise<NaiveOrder> {
  const { org_id, shop_id, external_id, items, ...fields } = body;
  return dataSource.transaction(async (manager) => {
    const before = await manager.findOneBy(NaiveOrder, { shop_id, external_id });
    const order = await manager.save(NaiveOrder, {
      payment_status: 'pending',
      status: 'pending',
      total_is_given: false,
      ...(before ?? { id: uuidv7(), org_id, shop_id, external_id }),
      ...fields,
      items,
      total_amount: items.reduce((sum, { qty, price }) => sum + qty * price, 0),
      sequence: (before?.sequence ?? 0) + 1,
    });
    const { id, sequence } = order;
    const action = sequence === 1 ? 'created' : 'updated';
    await manager.save(NaiveHistory, { order_id: id, sequence, actor: 'naive', action, fields: body });
    await manager.save(NaiveAudit, {
      org_id,
      actor: 'naive',
      action: `order.${action}`,
      object: `order:${id}`,
      request_id: id,
    });
    const event = { id: uuidv7(), org_id, event_type: `order_${action}`, aggregate_id: id, sequence };
    await manager.save(NaiveEvent, { ...event, topic: 'plain', body: JSON.stringify(event) });
    return order;
  });
}
