import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The text that the order list shows of an order, kept in its row. A trigger writes it, so every writer of core.orders
 * keeps it true: the version before, which runs beside this one during a roll-out, and a hand at psql, too. An order
 * that nobody changed since has none, and the list makes it.
 */
export class OrderSummaries1763780000000 implements MigrationInterface {
  name = 'OrderSummaries1763780000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.orders ADD COLUMN summary text`);
    await runner.query(`CREATE FUNCTION core.summarize_order() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.summary := ${SUMMARY};
        RETURN NEW;
      END $$`);
    await runner.query(`CREATE TRIGGER order_summary BEFORE INSERT OR UPDATE ON core.orders
      FOR EACH ROW EXECUTE FUNCTION core.summarize_order()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER order_summary ON core.orders`);
    await runner.query(`DROP FUNCTION core.summarize_order`);
    await runner.query(`ALTER TABLE core.orders DROP COLUMN summary`);
  }
}

/** As libs/pg/json-text.ts writes a time; frozen here, because rows are made of it. */
const time = (column: string): string =>
  `to_json(date_trunc('milliseconds', ${column} AT TIME ZONE INTERVAL '0') + interval '1 microsecond')::text::varchar(24)`;

/** One expression without a query: PL/pgSQL works it out without a plan to run. */
const SUMMARY = `'{"id":"' || NEW.id || '","external_id":' || to_json(NEW.external_id)
  || ',"status":"' || NEW.status || '","shop_id":"' || NEW.shop_id
  || '","customer_name":' || coalesce(to_json(NEW.customer_name)::text, 'null')
  || ',"total_amount":' || trim_scale(NEW.total_amount) || ',"payment_status":"' || NEW.payment_status
  || '","created_at":' || ${time('NEW.created_at')} || 'Z","updated_at":' || ${time('NEW.updated_at')} || 'Z"}'`;
